-- no transaction
-- Creates the index that finds the grants that an upload made, so that staff can take the upload back. The order is that
-- in which imports lock grants. An index left by an interrupted run is dropped before.
drop index concurrently if exists access_grant_import;
create index concurrently access_grant_import on access_grant (import_id, user_id, product_id) where import_id is not null;
