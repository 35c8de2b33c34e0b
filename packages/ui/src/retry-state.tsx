import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { RefreshIcon } from "./icon.tsx";

export interface RetryStateProps {
  art?: ReactNode;
  title: ReactNode;
  text?: ReactNode;
  retryLabel: ReactNode;
  onRetry: () => void;
  retrying?: boolean | undefined;
}

/** A failed load: announced at once, repeated with one tap. */
export function RetryState(props: RetryStateProps) {
  const { retryLabel, onRetry, retrying, ...said } = props;
  const action = (
    <Button
      variant="secondary"
      loading={retrying}
      onClick={onRetry}
      icon={<RefreshIcon size={18} />}
    >
      {retryLabel}
    </Button>
  );
  return (
    <div role="alert">
      <EmptyState {...said} action={action} />
    </div>
  );
}
