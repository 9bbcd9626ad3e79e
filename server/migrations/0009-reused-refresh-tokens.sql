-- `refreshed_at` is the time of the last refresh of the session; this column is the time of the refresh before it. The
-- refresh token that was used at that time still works for a few seconds after it (AUTH_REUSE_SECONDS). The column is
-- null if there was no such refresh, or if an older version of the portal made it. Then that token no longer works.
alter table auth_session add column previously_refreshed_at timestamptz;
