"""Making, checking and accounting for masks: what the page of masks consists of."""
