"""The screens of the terminal program, one file a screen, with its dialogs and widgets. They ask no host anything."""
