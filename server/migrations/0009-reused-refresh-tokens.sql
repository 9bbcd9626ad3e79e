-- Adds the time of a session's second-to-last refresh. The time of the last refresh is in `refreshed_at`.
-- Each refresh uses up one refresh token. A used token is still accepted for a few seconds (AUTH_REUSE_SECONDS). Before
-- this migration, only the last used token was accepted. With the new column, the last two used tokens are accepted.
-- The column is null until a portal with this migration refreshes the session.
alter table auth_session add column previously_refreshed_at timestamptz;
