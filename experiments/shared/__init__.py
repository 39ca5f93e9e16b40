"""What several experiments share: settings and findings, tables and samples, and measurements."""
