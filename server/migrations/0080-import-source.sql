-- Stores the text of a large file in pieces. On the embedded engine, one statement with the whole text would block the
-- process for seconds, and the engine would keep hundreds of megabytes of memory. On PostgreSQL, processes of the previous
-- version read import_job.source, so there it stays the place of the whole text.

create table import_source (
  source_id uuid not null,                       -- import_job.source_id; the pieces are stored before the row of the import
  piece     integer not null,                    -- from 0
  text      text not null,
  is_last   boolean not null default false,      -- the text is complete only with its last piece
  stored_at timestamptz not null default now(),
  primary key (source_id, piece)
);
-- Compression would take most of the time of an insert.
alter table import_source alter column text set storage external;

-- Null: `source` is the whole text. Otherwise `source` is empty and the pieces are the text.
alter table import_job add column source_id uuid;

create function delete_import_source() returns trigger language plpgsql as $$
begin
  delete from import_source where source_id = old.source_id;
  return null;
end $$;
create trigger import_source_ended after update of source on import_job for each row
  when (old.source_id is not null and new.source is null) execute function delete_import_source();
create trigger import_source_deleted after delete on import_job for each row
  when (old.source_id is not null) execute function delete_import_source();
