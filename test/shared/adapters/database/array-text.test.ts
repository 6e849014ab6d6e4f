import { expect, it } from 'vitest';
import { openDatabase } from '#shared/adapters/database/open.ts';
import { arrayText } from '#shared/domain/array-text.ts';
import { freshDatabase } from '#test/support/postgres.ts';

const items = [
  ...['', ' ', 'a', 'a b', 'a  b', ' a', 'a ', 'a\nb', '\ta', 'ä', '-1', 'local//pods label app=a'],
  ...['null', 'NULL', 'Null', '{}', 'a,b', '"', '\\', '\\"', '(1,2)', '[1:2]={1,2}', "it's", '$1'],
  ...['"\n\\', '\u001f"', '\u007f"', '"\u2028', '"🜚"', '{"a":"b\\n"}', '\b\f\r\v'],
];

it('reads what was written as the text of an array, and of one within it', async () => {
  const { url } = await freshDatabase({ isMigrated: false });
  const { sql, close } = openDatabase(url, { name: 'test', connections: 1 });
  const [row] = await sql`
    select to_json(${arrayText([...items, null])}::text[]) as flat,
      to_json((${arrayText([arrayText(items), arrayText([])])}::text[])[1]::text[]) as nested`;
  expect(row).toEqual({ flat: [...items, null], nested: items });
  await close();
});
