"""From photos and tables to checked annotations, with a report of everything set aside."""
