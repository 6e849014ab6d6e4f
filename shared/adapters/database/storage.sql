-- What drizzle cannot say. With room in its page a changed row stays there and no index is touched: of 18,600 updates of
-- status alone 18,600 instead of half of them, and the table was no larger for it (31 MB instead of 38).
ALTER TABLE objects SET (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000, autovacuum_analyze_scale_factor = 0.05);
ALTER TABLE watches SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
