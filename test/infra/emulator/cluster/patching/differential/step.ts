import type { JsonObject } from '#shared/domain/json.ts';

/** One write; what is stated is without apiVersion, kind and name. */
export type Step =
  | {
      readonly how: 'apply';
      readonly manager: string;
      readonly force: boolean;
      readonly subresource?: string;
      readonly stated: JsonObject;
    }
  | {
      readonly how: 'update';
      readonly manager: string;
      readonly subresource?: string;
      readonly stated: JsonObject;
    }
  | {
      readonly how: 'patch';
      readonly manager: string;
      readonly contentType: string;
      readonly subresource?: string;
      readonly patch: unknown;
    };
