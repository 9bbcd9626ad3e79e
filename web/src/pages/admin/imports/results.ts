// What staff need only after they have chosen a file, or below the list of a page. The pages load this file on demand.

export { askStaff } from './ask-staff.ts';
export { Outcome } from './outcome.tsx';
export { RecentUploads } from './recent-uploads.tsx';
export { UndoJob } from './undo-job.tsx';
