/** The state of a request as staff read it: who hung up is the customer, not the reader. */
import { useStateOf } from '../../texts/request-texts.ts';
import { useLogTexts } from './texts.ts';

export function useOperatorState(): ReturnType<typeof useStateOf> {
  const stateOf = useStateOf();
  const { clientClosed } = useLogTexts();
  return (request) => {
    const said = stateOf(request);
    return request.state === 'client_closed' ? { ...said, word: clientClosed } : said;
  };
}
