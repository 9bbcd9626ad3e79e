create function grant_state(withdrawn_at timestamptz, cohort_archived boolean, starts_on date, ends_on date, today date)
returns text language sql immutable parallel safe as $$
  select case when withdrawn_at is not null then 'withdrawn' when cohort_archived then 'archived'
    when starts_on > today then 'future' when ends_on < today then 'over' else 'live' end
$$;
comment on function grant_state is 'Returns the state of a grant on the day `today`; ''archived'' if its cohort is archived.';
