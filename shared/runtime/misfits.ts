import { type AdmissionFunction, type Definition, watchesOf } from '#shared/define.ts';
import type { Condition } from '#shared/domain/condition.ts';
import type { Decoder } from '#shared/domain/decode.ts';
import { objectName } from '#shared/domain/place.ts';
import { labelSelector } from '#shared/domain/selector.ts';
import { type Configured, misfitOf, type Settings } from '#shared/domain/settings.ts';
import type { Conditions } from '#shared/ports.ts';
import { failureAnswer } from './admission/on-failure.ts';
import { period } from './every-seconds.ts';
import type { Registry } from './registry.ts';

/** What stands in the settings for a function and cannot be used by it: its own fallback is, and somebody has to hear of it. */
export function misfitsIn(
  { definitions }: Pick<Registry, 'definitions'>,
  settings: Settings,
): readonly string[] {
  const misfits = definitions.flatMap((definition) =>
    leftToSettings(definition).flatMap((judge) => {
      const why = judge(settings);
      return why === undefined ? [] : [`${definition.name}: ${why}`];
    }),
  );
  // A trigger and the rights beside it name the same setting.
  return [...new Set(misfits)];
}

function misfitCondition(misfits: readonly string[]): Condition {
  const holds = misfits.length === 0;
  const why = holds ? 'all of it can be used' : `${misfits.join('. ')}. Mend the configuration`;
  return { name: 'settings-of-functions', holds, why };
}

type Telling = {
  readonly registry: Pick<Registry, 'definitions'>;
  readonly conditions: Conditions;
};

/** Nothing is said while all of it fits. */
export function misfitTeller({ registry, conditions }: Telling): (settings: Settings) => void {
  let isTold = false;
  return (settings) => {
    const misfits = misfitsIn(registry, settings);
    isTold ||= misfits.length > 0;
    if (isTold) conditions.report(misfitCondition(misfits));
  };
}

type Judge = (settings: Settings) => string | undefined;

function leftToSettings(definition: Definition): readonly Judge[] {
  const { access = [] } = definition;
  const names = access.flatMap((right) => right.names ?? []);
  return [...ofShape(definition), ...judged(names, objectName)];
}

function ofShape(definition: Definition): readonly Judge[] {
  switch (definition.shape) {
    case 'admission':
      return ofAdmission(definition);
    case 'reconcile': {
      const { trigger } = definition;
      const places = watchesOf(trigger).map(({ place }) => place);
      return [...judged([trigger.everySeconds], period), ...places.flatMap(ofPlace)];
    }
    case 'endpoint':
      return [];
  }
}

function ofAdmission({ onFailure, trigger }: AdmissionFunction): readonly Judge[] {
  return [
    ...judged([onFailure], failureAnswer),
    ...judged([trigger.namespaceSelector], labelSelector),
    ...ofPlace(trigger.object),
  ];
}

type Named = { readonly namespace?: Configured<string>; readonly name: Configured<string> };

function ofPlace(place: Named | undefined): readonly Judge[] {
  return judged([place?.namespace, place?.name], objectName);
}

/** Of those that the settings say. */
function judged<T>(
  stated: readonly (T | Configured<T> | undefined)[],
  decoder: Decoder<T>,
): readonly Judge[] {
  return stated
    .filter(isConfigured<T>)
    .map((one) => (settings) => misfitOf(one, settings, decoder));
}

function isConfigured<T>(stated: T | Configured<T> | undefined): stated is Configured<T> {
  return typeof stated === 'object' && stated !== null && 'setting' in stated;
}
