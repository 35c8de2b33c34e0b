import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentType, createElement, lazy, type ReactNode, Suspense } from "react";

const failed = new Set<() => void>();

/** As React's `lazy`, but failed code is imported again once a `Part` has reported the fault. */
export function lazyPart<P extends object>(
  load: () => Promise<{ readonly default: ComponentType<P> }>,
): ComponentType<P> {
  const again = () =>
    lazy(() =>
      load().catch((error) => {
        failed.add(() => {
          Code = again();
        });
        throw error;
      }),
    );
  let Code: ComponentType<P> = again();
  return (props) => createElement(Code, props);
}

interface PartProps {
  readonly children: ReactNode;
  /** A change of it is another try. */
  readonly turn?: number;
  /** Shown while the code loads. */
  readonly waiting?: ReactNode;
  readonly onFault?: (error: unknown) => void;
}

/** A part that the page can do without when it breaks or its code does not load. */
export function Part({ children, turn = 0, waiting, onFault }: PartProps) {
  return (
    <CatchBoundary
      getResetKey={() => turn}
      errorComponent={Nothing}
      onCatch={(error) => {
        for (const forget of failed) forget();
        failed.clear();
        onFault?.(error);
      }}
    >
      <Suspense fallback={waiting}>{children}</Suspense>
    </CatchBoundary>
  );
}

const Nothing = () => null;
