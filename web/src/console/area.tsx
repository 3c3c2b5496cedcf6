export default function ConsoleArea() {
  return null;
}
