import AppSettings

// How files of earlier releases become files of this one. The first access runs what a file still needs, in memory;
// data and version then go to disk together, in one atomic write, after a backup.
let migrations = [
  Migration(
    2, "store names as a list and the volume as a number",
    [
      .decodeJSONString("names"),  // "[\"Ada\"]" becomes ["Ada"]
      .mapValues("volume", ["quiet": 20, "loud": 80]),
    ]),
  Migration(
    3, "put what belongs to the greeting together",
    [
      .rename("volume", to: "greeting.volume"),
      .rename("salutation", to: "greeting.text"),
      .remove("telegraph"),
    ]),
]
