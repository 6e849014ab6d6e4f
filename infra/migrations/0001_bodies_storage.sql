ALTER TABLE objects SET (toast_tuple_target = 4080);
