// Asks the server for the state of an import.
import type { ImportState } from '@portal/contract';
import { getImport, listImports } from '@portal/contract';
import { call } from '../../../api.ts';
import { isNotFound } from '../../../api-error.ts';
import { tellRefusal } from '../refusal-toast.ts';
import { isRoleTooLow } from '../role-refusal.ts';

/** 'refused' means that the role of the current user is too low by now; a toast says so. */
type Answer = ImportState | 'unknown' | 'unreachable' | 'refused';

/** Returns the import with this id. */
export async function ask(id: string): Promise<Answer> {
  try {
    const said = await call(getImport, { params: { id } });
    return said.kind === 'products' || said.kind === 'users' || said.kind === 'coupons' ? said : 'unknown';
  } catch (error) {
    if (!isRoleTooLow(error)) return isNotFound(error) ? 'unknown' : 'unreachable';
    tellRefusal(error, '');
    return 'refused';
  }
}

/** Returns the import with this id if it is among the newest imports. */
export async function findAmongNewest(id: string): Promise<Answer> {
  const states = await call(listImports).catch(() => []);
  return states.find((state) => state.id === id) ?? 'unknown';
}
