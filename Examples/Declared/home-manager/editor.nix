# A module for home-manager: imports = [ ./editor.nix ];
{ ... }:

{
  # A drop-in, so that the app can write settings.toml.
  xdg.configFile."org.example.editor/settings.d/10-home-manager.toml".text = ''
    theme = "dark"

    [editor]
    font-size = 14
  '';
}
