// Remembers the row that a form on this page has just created, so that the list can mark the row.
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';

/**
 * Returns the key of the new row and a handler for a form's `onSaved`. The handler also resets the list to its first
 * page without filters, because the list shows the newest rows first.
 */
export function useNewRow() {
  const [newRow, setNewRow] = useState<string>();
  const [path, navigate] = useLocation();
  const search = useSearch();
  const onSaved = (key: string) => {
    setNewRow(key);
    if (search) navigate(path);
  };
  return { newRow, onSaved };
}
