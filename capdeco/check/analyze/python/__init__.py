"""Reading Python source: modules, names, classes and declarations, none of it imported."""
