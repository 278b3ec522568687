"""The data of figures: values over windows, lines and clouds, with thin domains found."""
