// The place for a focus whose control has left the page.

/** Moves the focus to the start of the page's content, without scrolling there. */
export function focusMain(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}
