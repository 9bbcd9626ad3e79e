-- no transaction
-- Finds the texts about a person who is erased, without a scan of the whole log or of all rows of uploads (R-PRIV-08).

-- An interrupted migration may have left invalid indexes.
drop index concurrently if exists import_row_address;
create index concurrently import_row_address on import_row (left(cells[1], 254)) where cells[1] like '%@%';
comment on index import_row_address is 'Finds the rows of people by their address.';

drop index concurrently if exists audit_typed;
create index concurrently audit_typed on audit (id)
  where user_id is null and detail ?| array['note', 'text', 'reason', 'file_name', 'filter', 'q', 'email', 'words'];
comment on index audit_typed is 'Finds the lines with typed texts that are not about one person: notes, reasons, names of files and searches. A
  person who is erased may be named in them.';
