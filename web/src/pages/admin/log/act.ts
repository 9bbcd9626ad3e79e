// The type of the words of an act, and helpers for its sentences.
import type { AuditLine } from '@portal/contract';
import type { LucideIcon } from 'lucide-react';
import { isolate } from '../../../ui/isolate.ts';
import { type ProductNames, sayHint } from './line-words.ts';

/** One act, or several acts with the same name. */
export type Act = {
  icon: LucideIcon;
  /** True if something failed or was refused. The icon is then red. */
  isBad?: true;
  /** Returns the text of the red tag after the sentence. */
  sayTag?: () => string;
  /** Returns the sentence. It does not name its subject, for example the person (N-78). */
  say: (line: AuditLine, names: ProductNames) => string;
  /**
   * Returns the sentence for several lines, of the same act, second and actor. Without this function, only lines with
   * the same sentence are folded.
   */
  sayMany?: (lines: readonly AuditLine[], names: ProductNames) => string;
};

/** The words of acts by their names. */
export type Acts = Record<string, Act>;

/** Returns the number in the field `field` of the line's `detail`; 1 if there is none. */
export function countOf({ detail }: AuditLine, field: string): number {
  return Number(detail[field] ?? 1);
}

export function sumOf(lines: readonly AuditLine[], field: string): number {
  return lines.reduce((sum, line) => sum + countOf(line, field), 0);
}

/** Adds the hint of the line's code, such as '(…K5M7)'. */
export function withHint(sentence: string, line: AuditLine): string {
  const hint = sayHint(line);
  return hint === null ? sentence : `${sentence} (${hint})`;
}

/** Adds the reason in the line's `detail`. */
export function withReason(sentence: string, { detail: { reason } }: AuditLine): string {
  return typeof reason === 'string' && reason !== '' ? `${sentence}: ${isolate(reason)}` : sentence;
}
