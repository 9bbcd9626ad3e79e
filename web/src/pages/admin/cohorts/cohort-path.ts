// The addresses of the pages about cohorts.

export const COHORTS_PATH = '/admin/users/cohorts';

export const cohortPath = (cohort_id: string) => `${COHORTS_PATH}/${cohort_id}`;
