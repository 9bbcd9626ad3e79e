// The tags on a card of the home page: at most two, one below the other (R-LIFE-35).
import type { MyProduct } from '@portal/contract';
import { Calendar, Check, Clock, type LucideIcon, Pause } from 'lucide-react';
import { Icon } from '../../ui/icon.tsx';
import { Tag, type TagTone } from '../../ui/tag.tsx';
import { isSoon, sayDay } from '../../words/days.ts';
import { say } from '../../words/say.ts';
import type { BenefitState } from './benefit-state.ts';

type BenefitTagsProps = { id: string | undefined; product: MyProduct; state: BenefitState; now: Date };
type TagWords = { words: string; icon?: LucideIcon; tone?: TagTone };

export function BenefitTags({ id, ...card }: BenefitTagsProps) {
  return (
    <div id={id} className="grid justify-items-end gap-1">
      {tagsOf(card).map(({ words, icon, tone }) => (
        <Tag key={words} tone={tone}>
          {icon && <Icon of={icon} size={13} strong />}
          {words}
        </Tag>
      ))}
    </div>
  );
}

function tagsOf({ product, state, now }: Omit<BenefitTagsProps, 'id'>): TagWords[] {
  const { assigned_at, from, use_by } = product;
  const dayOf = (day: string | null) => ({ day: day ? sayDay(day, now) : '' });
  if (state === 'not_yet') return [{ words: say('From {day}', dayOf(from)), icon: Calendar }];
  if (state === 'paused') return [{ words: say('Paused'), icon: Pause }];
  if (state === 'sold_out') return [{ words: say('Sold out') }];
  if (state === 'expired') return [{ words: say('Expired {day}', dayOf(use_by)) }];
  if (state === 'revoked') return [{ words: say('Withdrawn') }];
  if (state === 'ready') return [];
  const issued: TagWords = {
    words: say('Code issued {day}', dayOf(assigned_at)),
    icon: Check,
    tone: 'plain-accent',
  };
  if (!use_by) return [issued];
  const last = { words: say('Use by {day}', dayOf(use_by)) };
  return [
    issued,
    isSoon(use_by, now) ? { ...last, icon: Clock, tone: 'warning' } : { ...last, tone: 'plain-accent' },
  ];
}
