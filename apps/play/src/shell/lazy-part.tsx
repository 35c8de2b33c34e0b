import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentType, createElement, lazy, type ReactNode, Suspense } from "react";

const failed = new Set<() => void>();

/** As React's `lazy`, but code that did not come is imported anew once a `Part` has said so. */
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
  /** Another one is another try. */
  readonly turn?: number;
  /** Stands there while the code is on its way. */
  readonly waiting?: ReactNode;
  readonly onFault?: (error: unknown) => void;
}

/** What the page goes on without where it breaks or its code does not come. */
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
