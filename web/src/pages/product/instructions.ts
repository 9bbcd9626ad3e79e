// Splits the instructions of a product into steps.

/** Returns one step for each line that is not blank, in order. `number` begins with 1 (R-PROD-26). */
export function splitInstructions(text: string | null | undefined): { number: number; text: string }[] {
  return (text ?? '')
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line, index) => ({ number: index + 1, text: line }));
}
