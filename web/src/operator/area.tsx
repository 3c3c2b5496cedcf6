export default function OperatorArea() {
  return null;
}
