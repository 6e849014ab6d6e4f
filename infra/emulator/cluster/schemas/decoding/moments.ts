const time = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const layouts = {
  seconds: '2006-01-02T15:04:05Z07:00',
  micros: '2006-01-02T15:04:05.000000Z07:00',
};

type Moment =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

/** A `Time` is kept in UTC and whole seconds. */
export function secondsOf(text: string): Moment {
  const [, day = '', , zone = ''] = time.exec(text) ?? [];
  const at = day === '' ? Number.NaN : Date.parse(`${day}${zone}`);
  if (Number.isNaN(at)) return cannot(text, { layout: layouts.seconds, rest: text, part: '2006' });
  return { ok: true, text: `${new Date(at).toISOString().slice(0, 19)}Z` };
}

/** A `MicroTime` is written with six digits, neither more nor fewer. */
export function microsOf(text: string): Moment {
  const layout = layouts.micros;
  const [, day = '', fraction = '', zone = ''] = time.exec(text) ?? [];
  const at = day === '' ? Number.NaN : Date.parse(`${day}${zone}`);
  if (Number.isNaN(at)) return cannot(text, { layout, rest: text, part: '2006' });
  if (fraction.length < 7) {
    return cannot(text, { layout, rest: `${fraction}${zone}`, part: '.000000' });
  }
  if (fraction.length > 7) {
    return cannot(text, { layout, rest: `${fraction.slice(7)}${zone}`, part: 'Z07:00' });
  }
  return { ok: true, text: `${new Date(at).toISOString().slice(0, 19)}${fraction}Z` };
}

function cannot(
  text: string,
  { layout, rest, part }: { readonly layout: string; readonly rest: string; readonly part: string },
): Moment {
  return {
    ok: false,
    why: `parsing time ${JSON.stringify(text)} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${part}"`,
  };
}
