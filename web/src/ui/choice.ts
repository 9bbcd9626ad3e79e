// The props shared by controls that choose one value of several.

type Option = { value: string; label: string; count?: number | undefined };
export type ChoiceProps = {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
};
