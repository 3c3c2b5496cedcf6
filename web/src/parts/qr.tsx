/** A text as a QR code, drawn here: the text is a secret and is sent nowhere. */
import { useEffect, useState } from 'react';

export function Qr({ text, label }: { text: string; label: string }) {
  const [path, setPath] = useState<{ size: number; d: string }>();
  useEffect(() => {
    let wanted = true;
    void import('uqr').then(({ encode }) => {
      const { data, size } = encode(text, { border: 2 });
      const d = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
      if (wanted) setPath({ size, d });
    });
    return () => {
      wanted = false;
    };
  }, [text]);
  if (path === undefined) return <span className="qr skel" />;
  return (
    <svg className="qr" viewBox={`0 0 ${path.size} ${path.size}`} role="img" aria-label={label}>
      <rect className="qr-paper" width={path.size} height={path.size} />
      <path className="qr-ink" d={path.d} shapeRendering="crispEdges" />
    </svg>
  );
}
