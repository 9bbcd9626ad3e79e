-- Adds the time of a session's second-to-last refresh. The time of the last refresh is in `refreshed_at`.
-- A refresh token still works for a few seconds after its first use (AUTH_REUSE_SECONDS). With this column the portal
-- knows the times of use of the last two used tokens of a session. Without it, the portal knew only the time of the
-- last one.
-- The column is null until a portal with this migration refreshes the session. While the column is null, only the
-- token of the last refresh can be used again.
alter table auth_session add column previously_refreshed_at timestamptz;
