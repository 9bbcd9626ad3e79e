-- The table of work on many rows is named after that work. It was made for imports of files, which are three of seven kinds.
-- Processes of the version before read and write it through a view with the old name; a later migration drops the view.
alter table import_job rename to bulk_job;
do $$
declare
  name text;
begin
  for name in select conname from pg_constraint where conrelid = 'bulk_job'::regclass and conname like 'import\_job\_%' loop
    execute format('alter table bulk_job rename constraint %I to %I', name, replace(name, 'import_job', 'bulk_job'));
  end loop;
end $$;
alter index import_job_newest rename to bulk_job_newest;
alter index import_job_running rename to bulk_job_running;
alter index import_job_checked rename to bulk_job_checked;
comment on table bulk_job is 'Work on many rows: imports of files, changes of many codes or people, and undoing an upload. The
  text of an imported file is stored until the import is done, so that an interrupted import continues after a restart.';
comment on column import_source.source_id is 'bulk_job.source_id; the pieces are stored before the row of the import';

create view import_job as select * from bulk_job;
comment on view import_job is 'Kept for processes of the version before. Nothing else uses it. A later migration drops it.';

create or replace function products_of_upload(upload uuid)
returns table (product_id uuid, is_open boolean, is_own boolean, is_used boolean, is_named boolean) language sql stable as $$
  select p.product_id, p.archived_at is null, added.is_own,
    exists (select from coupon c where c.product_id = p.product_id)
      or exists (select from access_grant g where g.product_id = p.product_id and g.withdrawn_at is null),
    exists (select from product_source s where s.product_id = p.product_id and s.import_id <> upload)
  from product p cross join lateral (
    select line.import_id = upload::text as is_own, line.import_id from (
      select a.action, a.detail ->> 'import_id' as import_id from audit a
      where a.product_id = p.product_id order by a.id limit 1) line
    where line.action = 'product.create') added
  where added.is_own or (
    exists (select from product_source s where s.product_id = p.product_id and s.import_id = upload)
    and exists (select from bulk_job b where b.id::text = added.import_id and b.state = 'taken_back'))
$$;
