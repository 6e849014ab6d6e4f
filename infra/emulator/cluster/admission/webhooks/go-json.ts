import { jsonProblem } from '../../serving/json-problem.ts';

/** What Go says of a text that is no JSON; it is asked only of such. */
export function goJsonError(text: string): string {
  return jsonProblem(text) ?? 'unexpected end of JSON input';
}
