/** When something could not be read: the cause, the way out, and the number support will ask for. */
import { Component, type ReactNode } from 'react';
import { Refused } from '../api/call.ts';
import { useShared } from '../texts/shared.ts';
import { Id } from './copyable.tsx';

export function Trouble({ error, again }: { error: Error; again?: (() => void) | undefined }) {
  const texts = useShared();
  const refused = error instanceof Refused ? error : undefined;
  return (
    <div className="empty trouble" role="alert">
      <h2>{refused?.status === 403 ? texts.forbidden : texts.failed}</h2>
      <p>{refused?.message ?? texts.offline}</p>
      {refused?.requestId && (
        <p className="xs">
          {texts.requestId} <Id value={refused.requestId} copy boxed />
        </p>
      )}
      {again !== undefined && refused?.status !== 403 && (
        <button type="button" className="btn" onClick={again}>
          {texts.tryAgain}
        </button>
      )}
    </div>
  );
}

/** A page that breaks does not take the navigation with it. */
export class Boundary extends Component<{ children: ReactNode; place: string }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate(before: { place: string }) {
    if (before.place !== this.props.place && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <Trouble error={error} again={() => this.setState({ error: undefined })} />;
  }
}
