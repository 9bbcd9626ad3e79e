// The row that a form of this page has just made.
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Its key, to mark it by. The newest rows stand first, so that the list goes to the beginning of everything. */
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
