// Button that takes back an upload, with the dialog that asks before (R-IMP-10 to R-IMP-13).
import type { ImportState } from '@portal/contract';
import { getBatch, getImportUndo } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { queryClient, queryOf } from '../../../queries.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { say } from '../../../words/say.ts';
import { UPLOADS_PATH } from '../coupons/list-coupon-tabs.ts';
import { useJobAddress } from '../jobs/job-address.ts';
import { tellRefusal } from '../refusal-toast.ts';
import { TakeBackCodes } from '../uploads/take-back-codes.tsx';
import { TakeBackDialog } from './take-back-dialog.tsx';

type TakeBackProps = { state: ImportState; fileName: string };

export function TakeBack({ state, fileName }: TakeBackProps) {
  const { results, batch_id, kind } = state;
  const hasEnded = state.state === 'done' || state.state === 'cancelled';
  const { success = 0, productAccess = 0, joined = 0, duplicates = 0 } = results ?? {};
  // What stands in the file and was there already counts as given by this upload too. If the upload that gave it first
  // was taken back, this one can be as well.
  const again = kind === 'coupons' ? 0 : duplicates;
  if (!hasEnded || success + productAccess + joined + again === 0) return null;
  if (kind !== 'coupons') return <TakeBackRows state={state} fileName={fileName} />;
  return batch_id === null ? null : <TakeBackBatch id={batch_id} />;
}

/** Takes back an upload of people or of products. */
function TakeBackRows({ state, fileName }: TakeBackProps) {
  const [isAsked, setAsked] = useState(false);
  const { busy, load } = useLoaded();
  const { follow } = useJobAddress();
  const undo = queryOf(getImportUndo, { id: state.id });
  return (
    <>
      <TakeBackButton
        busy={busy}
        onPress={() =>
          void load(
            () => queryClient.fetchQuery({ ...undo, staleTime: 0 }),
            () => setAsked(true),
          )
        }
      />
      {isAsked && (
        <TakeBackDialog
          id={state.id}
          kind={state.kind}
          fileName={fileName}
          created={state.results?.success ?? 0}
          onStarted={(id) => {
            setAsked(false);
            follow(id);
          }}
          onCancel={() => setAsked(false)}
        />
      )}
    </>
  );
}

/** Takes back an upload of codes: its free codes become void. The page of the upload shows the progress. */
function TakeBackBatch({ id }: { id: string }) {
  const [isAsked, setAsked] = useState(false);
  const [, navigate] = useLocation();
  const { busy, load } = useLoaded();
  const batch = queryOf(getBatch, { id });
  const { data } = useQuery({ ...batch, enabled: isAsked });
  return (
    <>
      <TakeBackButton
        busy={busy}
        onPress={() =>
          void load(
            () => queryClient.fetchQuery({ ...batch, staleTime: 0 }),
            () => setAsked(true),
          )
        }
      />
      {isAsked && data && (
        <TakeBackCodes
          upload={data}
          onStarted={(job) => navigate(`${UPLOADS_PATH}/${id}?${new URLSearchParams({ job })}`)}
          onCancel={() => setAsked(false)}
        />
      )}
    </>
  );
}

/** Loads the numbers of a dialog anew before it opens. */
function useLoaded() {
  const [busy, setBusy] = useState(false);
  const load = async (fetch: () => Promise<unknown>, open: () => void) => {
    setBusy(true);
    try {
      await fetch();
      open();
    } catch (error) {
      tellRefusal(error, say('We could not load the numbers of this upload.'));
    } finally {
      setBusy(false);
    }
  };
  return { busy, load };
}

function TakeBackButton({ busy, onPress }: { busy: boolean; onPress: () => void }) {
  return (
    <Button size="sm" busy={busy} onClick={onPress}>
      {!busy && <Icon of={Undo2} size={16} />}
      {say('Take back this upload')}
    </Button>
  );
}
