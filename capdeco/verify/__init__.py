"""Will this plugin load, alone, on a clean machine? Installed, composed, checked and booted in a throwaway profile."""
