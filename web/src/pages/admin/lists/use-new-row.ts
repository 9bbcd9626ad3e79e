// Remembers which row a form on this page has just created, so that the list can highlight it.
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';

/**
 * Returns the id of the new row, and a function for `onSaved` of a form. The function also returns the list to its
 * first page without filters, where the newest row is.
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
