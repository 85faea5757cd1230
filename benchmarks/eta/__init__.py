"""How good forecasts of the end are: synthetic runs, recorded ones, and other tools' rules on the same lines."""
