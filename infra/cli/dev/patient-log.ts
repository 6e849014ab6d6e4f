import type { Log } from '#shared/runtime/log.ts';

export type PatientLog = {
  readonly log: Log;
  /** Tells what still does not hold. */
  impatient(): void;
  /** Of what ends nobody need be told that it does not hold. */
  ending(): void;
};

/**
 * At a first start there is no certificate, then no CA, and no node: of a condition that holds before anybody could have
 * looked, nobody need be told.
 */
export function patientLog(log: Log): PatientLog {
  const held = new Map<unknown, () => void>();
  let isPatient = true;
  let isEnding = false;
  return {
    log: {
      ...log,
      error(fields, message) {
        const tell = () => log.error(fields, message);
        if (isEnding && 'condition' in fields) return;
        if (isPatient && 'condition' in fields) held.set(fields['condition'], tell);
        else tell();
      },
      info(fields, message) {
        const isMended = 'condition' in fields && held.delete(fields['condition']);
        if (!isMended) log.info(fields, message);
      },
    },
    impatient() {
      isPatient = false;
      for (const tell of held.values()) tell();
      held.clear();
    },
    ending() {
      isEnding = true;
      held.clear();
    },
  };
}
