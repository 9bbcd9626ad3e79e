// Dialog that asks before an upload of people or of products is taken back. It says how many lose what (R-IMP-11 to
// R-IMP-13).
import type { CsvKind, UndoPreview } from '@portal/contract';
import { getImport, getImportUndo, undoImport } from '@portal/contract';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../../api.ts';
import { ApiError } from '../../../api-error.ts';
import { queryOf } from '../../../queries.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { isolate } from '../../../ui/isolate.ts';
import { Notice } from '../../../ui/notice.tsx';
import { say, sayCount } from '../../../words/say.ts';
import { tellRefusal } from '../refusal-toast.ts';
import { useRoleRefusal } from '../role-gate.tsx';
import { listGivers } from './list-givers.ts';

type TakeBackDialogProps = {
  id: string;
  kind: CsvKind;
  fileName: string;
  /** Number of people that the upload created. */
  created: number;
  onStarted: (job: string) => void;
  onCancel: () => void;
};

export function TakeBackDialog({ id, kind, fileName, created, onStarted, onCancel }: TakeBackDialogProps) {
  const [busy, setBusy] = useState(false);
  const [changes, setChanges] = useState(0);
  const { isOff, noteRefusal } = useRoleRefusal();
  const query = useQuery(queryOf(getImportUndo, { id }));
  const { data } = useQuery(queryOf(getImport, { id }));
  const mails = data && 'mails' in data ? (data.mails?.queued ?? 0) : 0;
  const numbers = query.data;
  if (!numbers) return null;
  const isProducts = kind === 'products';
  const expected = isProducts ? numbers.products : numbers.people;
  const takeBack = async () => {
    setBusy(true);
    try {
      onStarted((await call(undoImport, { params: { id }, body: { expected } })).job_id);
    } catch (error) {
      noteRefusal(error);
      setBusy(false);
      if (error instanceof ApiError && error.code === 'count_changed') {
        await query.refetch();
        setChanges(changes + 1);
      } else tellRefusal(error, say('Failed to take back the upload'));
    }
  };
  return (
    <ConfirmDialog
      title={say('Take back {file}?', { file: isolate(fileName) })}
      words={isProducts ? sayProducts(numbers) : sayPeople(numbers)}
      confirm={
        isProducts
          ? sayCount(expected, {
              one: 'Archive {count} product of this upload',
              other: 'Archive {count} products of this upload',
            })
          : say('Take back')
      }
      danger
      busy={busy}
      // Nobody may have been given anything, but the upload can be taken back all the same: its mails are not sent.
      disabled={isProducts && expected === 0}
      isOff={isOff}
      asked={changes}
      onCancel={onCancel}
      onConfirm={() => void takeBack()}
    >
      {changes > 0 && (
        <div role="alert">
          <Notice icon={TriangleAlert} warning>
            {say('The numbers have changed since the dialog was opened. Please check them again.')}
          </Notice>
        </div>
      )}
      {!isProducts && <p>{listStaying(numbers, { mails, created }).join(' ')}</p>}
    </ConfirmDialog>
  );
}

function sayPeople({ people, holding, kept, kept_later, later }: UndoPreview): string {
  const before = kept - kept_later;
  return [
    sayCount(people, {
      one: '{count} person loses access they got by this upload.',
      other: '{count} people lose access they got by this upload.',
    }),
    ...(holding > 0
      ? [
          sayCount(holding, {
            one: '{count} of them holds a code and keeps seeing it.',
            other: '{count} of them hold a code and keep seeing it.',
          }),
        ]
      : []),
    ...(before > 0
      ? [
          sayCount(before, {
            one: '{count} had access before and keeps it.',
            other: '{count} had access before and keep it.',
          }),
        ]
      : []),
    ...(kept_later > 0
      ? [
          sayCount(kept_later, {
            one: '{count} was given the same again later and keeps it.',
            other: '{count} were given the same again later and keep it.',
          }),
          say('Given again: {givers}.', { givers: listGivers(later) }),
        ]
      : []),
  ].join(' ');
}

function sayProducts({ products, products_kept, kept_later, later }: UndoPreview): string {
  const used = products_kept - kept_later;
  return [
    sayCount(products, {
      one: '{count} product of this upload is archived.',
      other: '{count} products of this upload are archived.',
    }),
    ...(used > 0
      ? [
          sayCount(used, {
            one: '{count} has codes or people by now and stays.',
            other: '{count} have codes or people by now and stay.',
          }),
        ]
      : []),
    ...(kept_later > 0
      ? [
          sayCount(kept_later, {
            one: '{count} stands in a later upload too and stays.',
            other: '{count} stand in a later upload too and stay.',
          }),
          say('Also in: {files}.', { files: listGivers(later) }),
        ]
      : []),
  ].join(' ');
}

function listStaying({ lengthened }: UndoPreview, { mails, created }: { mails: number; created: number }) {
  const sentences: string[] = [];
  if (lengthened > 0)
    sentences.push(
      sayCount(lengthened, {
        one: '{count} grant was only lengthened by this upload and stays lengthened.',
        other: '{count} grants were only lengthened by this upload and stay lengthened.',
      }),
    );
  if (mails > 0)
    sentences.push(
      sayCount(mails, {
        one: '{count} mail that was not sent yet is not sent.',
        other: '{count} mails that were not sent yet are not sent.',
      }),
    );
  if (created > 0)
    sentences.push(
      sayCount(created, {
        one: 'The {count} person it created stays.',
        other: 'The {count} people it created stay.',
      }),
    );
  return sentences;
}
