// The jobs that change an upload: they void its unused codes, or set their last day.
import type { BatchActState, JobState } from '@portal/contract';
import { sayActStopped, sayOutcome } from './upload-words.ts';

export const BATCH_ACTS = {
  pick: (state: JobState): BatchActState | undefined =>
    state.kind === 'void' || state.kind === 'use_by' ? state : undefined,
  sayOutcome,
  sayStopped: sayActStopped,
  changes: 'coupons',
} as const;
