//! What the server writes about itself: one JSON object a line, with typed fields; no statement, no value, no token.
