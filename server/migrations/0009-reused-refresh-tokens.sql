-- Adds the time of a session's second-to-last refresh. The time of the last refresh is in `refreshed_at`.
-- Each refresh uses up one refresh token, which still works for a few seconds afterwards (AUTH_REUSE_SECONDS). With this
-- column, that holds for the last two used tokens; before, it held only for the last one.
-- The column is null until a portal with this migration refreshes the session.
alter table auth_session add column previously_refreshed_at timestamptz;
