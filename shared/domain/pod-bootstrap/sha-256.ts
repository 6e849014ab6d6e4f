/** FIPS 180-4, in line: what is decided here waits for nobody, and Node's own is out of reach for decisions. */
export function sha256(source: string): string {
  const message = padded(new TextEncoder().encode(source));
  const state = Uint32Array.from(initial);
  const schedule = new Uint32Array(64);
  for (let at = 0; at < message.byteLength; at += 64) {
    fill(schedule, message, at);
    compress(state, schedule);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
}

function padded(bytes: Uint8Array): DataView {
  const size = Math.ceil((bytes.length + 9) / 64) * 64;
  const whole = new Uint8Array(size);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setBigUint64(size - 8, BigInt(bytes.length) * 8n);
  return view;
}

function fill(schedule: Uint32Array, message: DataView, at: number): void {
  for (let i = 0; i < 16; i += 1) schedule[i] = message.getUint32(at + i * 4);
  for (let i = 16; i < 64; i += 1) {
    const w15 = schedule[i - 15] ?? 0;
    const w2 = schedule[i - 2] ?? 0;
    const s0 = turned(w15, 7) ^ turned(w15, 18) ^ (w15 >>> 3);
    const s1 = turned(w2, 17) ^ turned(w2, 19) ^ (w2 >>> 10);
    schedule[i] = ((schedule[i - 16] ?? 0) + s0 + (schedule[i - 7] ?? 0) + s1) | 0;
  }
}

/** The eight words stay in one array that turns: what is `a` in this round is `b` in the next. */
function compress(state: Uint32Array, schedule: Uint32Array): void {
  const words = new Int32Array(state);
  for (let i = 0; i < 64; i += 1) {
    const e = words[(68 - i) & 7] ?? 0;
    const f = words[(69 - i) & 7] ?? 0;
    const g = words[(70 - i) & 7] ?? 0;
    const last = (71 - i) & 7;
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const one = (words[last] ?? 0) + s1 + chosen + (rounds[i] ?? 0) + (schedule[i] ?? 0);
    const fourth = (67 - i) & 7;
    words[fourth] = ((words[fourth] ?? 0) + one) | 0;
    words[last] = (one + mixed(words, i)) | 0;
  }
  state.set(state.map((word, i) => word + (words[i] ?? 0)));
}

function mixed(words: Int32Array, round: number): number {
  const a = words[(64 - round) & 7] ?? 0;
  const b = words[(65 - round) & 7] ?? 0;
  const c = words[(66 - round) & 7] ?? 0;
  return (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

const primes = firstPrimes(64);
const initial = primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const rounds = Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

/** The first 32 bits behind the point. */
function fraction(root: number): number {
  return ((root - Math.floor(root)) * 2 ** 32) >>> 0;
}

function firstPrimes(count: number): readonly number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n += 1) {
    if (found.every((prime) => n % prime !== 0)) found.push(n);
  }
  return found;
}
