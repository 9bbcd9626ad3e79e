-- Adds the time of a session's second-to-last refresh. The time of the last refresh is in `refreshed_at`.
-- A refresh token still works for a few seconds after its first use (AUTH_REUSE_SECONDS). Because of this column, the
-- portal knows the times of use of the session's last two tokens, not only of the last one.
-- The column is null until a portal with this migration refreshes the session. While the column is null, only the
-- token of the last refresh can be used again.
alter table auth_session add column previously_refreshed_at timestamptz;
