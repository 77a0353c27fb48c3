document.getElementById("main").textContent = "Settings";
