/** Minutes of the day as people write them: 07:30. */

export function minutesOfClock(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
}

export function clockText(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}
