// Polls an action on an upload: voiding its unused codes, or setting their last day. The server runs the action as a
// background job.
import type { BatchActState } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLocation, useSearch } from 'wouter';
import { getImport } from '../../../admin-calls.ts';
import { isNotFound } from '../../../api-error.ts';
import { queryOf } from '../../../queries.ts';
import { refreshLists } from '../changes.ts';
import { tellError, tellSuccess } from '../refusal-toast.ts';
import { useMay } from '../role-gate.tsx';
import { sayOutcome, sayStopped } from './upload-words.ts';

const POLL_MS = 1000;
const JOB = 'job';

/**
 * Returns the action whose job id is in the URL, and polls it until it ends. After a reload, the id is still in the
 * URL, so the page still shows the action and its result. `running` is the id of the job that the server reports as
 * running for this upload, or null. Members whose role may not read the job see no progress.
 */
export function useAct(running: string | null) {
  const [path, navigate] = useLocation();
  const canFollow = useMay()(getImport);
  const asked = new URLSearchParams(useSearch()).get(JOB);
  const id = canFollow ? asked : null;
  const isAwaited = useRef(false);
  const show = (next: string | null) =>
    navigate(next ? `${path}?${new URLSearchParams({ [JOB]: next })}` : path, { replace: true });
  const { data, error } = useQuery({
    ...queryOf(getImport, { id: id ?? '' }),
    enabled: id !== null,
    refetchInterval: ({ state }) =>
      isNotFound(state.error) || (state.data && state.data.state !== 'running') ? false : POLL_MS,
  });
  const act = actOf(data);
  const isRunning = act ? act.state === 'running' : id !== null && !data && !isNotFound(error);

  useEffect(() => {
    if (canFollow && running !== null && running !== id && !isRunning) show(running);
  });
  useEffect(() => {
    if (!act) return;
    if (isAwaited.current && act.state !== 'running') {
      if (act.state === 'done') tellSuccess(sayOutcome(act));
      else tellError(sayStopped(act));
    }
    isAwaited.current = act.state === 'running';
    // Each new state of the action means that codes have changed, so the upload's figures are loaded again.
    refreshLists('coupons');
  }, [act]);
  return {
    act,
    isRunning,
    follow: (next: string) => {
      isAwaited.current = true;
      show(next);
    },
    dismiss: () => show(null),
  };
}

function actOf(state: { kind: string } | undefined): BatchActState | undefined {
  const isAct = state?.kind === 'void' || state?.kind === 'use_by';
  return isAct ? (state as BatchActState) : undefined;
}
