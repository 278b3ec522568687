(** The mean-value form. Of a point x of the box and a place c in it, every part of a formula has a pair of numbers: its
    value a at x, and a number b near its value at c, with a - b = s_1 (x_1 - c_1) + ... + s_n (x_n - c_n) and slopes s_i
    in known intervals. An operation that may be undefined is frozen: it counts as a number that does not change. *)
From Coq Require Import Reals ZArith List Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Real.Xreal Float.Basic Float.Sig.
From Flocq Require Zaux.
From CPC Require Import Language.
From CPC Require Ranges.
Import ListNotations.
Open Scope R_scope.

Fixpoint gap (s x c : list R) : R :=
  match s, x, c with
  | s1 :: s', x1 :: x', c1 :: c' => s1 * (x1 - c1) + gap s' x' c'
  | _, _, _ => 0
  end.

Fixpoint map2 {A B C : Type} (f : A -> B -> C) (l : list A) (m : list B) : list C :=
  match l, m with a :: l', b :: m' => f a b :: map2 f l' m' | _, _ => [] end.

Lemma gap_scale : forall t s x c, gap (map (Rmult t) s) x c = t * gap s x c.
Proof. intros t s. induction s; intros [| x1 x] [| c1 c]; cbn; try rewrite IHs; ring. Qed.

Lemma gap_add : forall s t x c, length s = length t -> gap (map2 Rplus s t) x c = gap s x c + gap t x c.
Proof.
  intros s. induction s; intros [| t1 t] [| x1 x] [| c1 c] L; cbn in *; try discriminate; try ring.
  rewrite IHs by congruence. ring.
Qed.

Lemma gap_zero : forall n x c, gap (repeat 0 n) x c = 0.
Proof. intros n. induction n; intros [| x1 x] [| c1 c]; cbn; try rewrite IHn; ring. Qed.

Lemma gap_one : forall n i x c, length x = n -> length c = n -> (i < n)%nat ->
  gap (map (fun k => if Nat.eqb k i then 1 else 0) (seq 0 n)) x c = nth i x 0 - nth i c 0.
Proof.
  assert (Z : forall n s i x c, (forall k, (s <= k)%nat -> k <> i) ->
    gap (map (fun k => if Nat.eqb k i then 1 else 0) (seq s n)) x c = 0).
  { intros n. induction n; intros s i [| x1 x] [| c1 c] H; cbn; try reflexivity.
    rewrite IHn by (intros k K; apply H; auto with arith).
    destruct (Nat.eqb_spec s i) as [E | E]; [exfalso; exact (H s (le_n s) E) | ring]. }
  assert (G : forall n s i x c, length x = n -> length c = n -> (i < n)%nat ->
    gap (map (fun k => if Nat.eqb k (s + i) then 1 else 0) (seq s n)) x c = nth i x 0 - nth i c 0).
  { intros n. induction n; intros s i x c X C L; [lia |].
    destruct x as [| x1 x], c as [| c1 c]; try discriminate. cbn in X, C. destruct i as [| i]; cbn.
    - rewrite Nat.add_0_r, Nat.eqb_refl, Z by (intros k K; lia). ring.
    - destruct (Nat.eqb_spec s (s + S i)) as [E | E]; [lia |].
      replace (s + S i)%nat with (S s + i)%nat by lia. rewrite IHn by (try lia; congruence). ring. }
  intros n i x c X C L. exact (G n 0%nat i x c X C L).
Qed.

Module Slopes (F : FloatOps with Definition radix := Zaux.radix2 with Definition sensible_format := true).

Module Import R := Ranges.Ranges F.

Section Precision.
Variable p : F.precision.
Variable n : nat.
(** Whether an operation is frozen too where its operand may come close to the edge of its domain. *)
Variable wary : bool.
Definition steady (i : I.type) : bool :=
  (positive_on i && (negb wary || positive_on (I.sub p (I.mul p (I.fromZ p 4) i) (point (I.upper i)))))%bool.
Lemma steady_positive : forall i, steady i = true -> positive_on i = true.
Proof. intros i H. unfold steady in H. apply andb_prop in H. tauto. Qed.

(** Range over the box, range near c, slopes. *)
Record dual : Type := Dual { over : I.type; near : I.type; slopes : list I.type }.

Definition pair (d : dual) (x c : list R) (a : R) : Prop :=
  inside (over d) a /\ exists b s, inside (over d) b /\ inside (near d) b
    /\ Forall2 inside (slopes d) s /\ length s = n /\ a - b = gap s x c.
Definition is_pair (d : option dual) (x c : list R) (a : R) : Prop :=
  match d with Some e => pair e x c a | None => False end.

Definition zeros : list I.type := repeat I.zero n.
Definition frozen (i : I.type) : dual := Dual i i zeros.

Lemma zeros_correct : Forall2 inside zeros (repeat 0 n).
Proof. unfold zeros. induction n; cbn; constructor; [exact zero_inside | assumption]. Qed.

Lemma frozen_correct : forall i x c a, inside i a -> pair (frozen i) x c a.
Proof.
  intros i x c a A. split; [exact A |]. exists a, (repeat 0 n).
  repeat split; try assumption; [exact zeros_correct | apply repeat_length | rewrite gap_zero; ring].
Qed.

Lemma scaled_correct : forall T t g s, inside T t -> Forall2 inside g s ->
  Forall2 inside (map (I.mul p T) g) (map (Rmult t) s).
Proof. intros T t g s A H. induction H; cbn; constructor; [apply inside_mul; assumption | assumption]. Qed.

Lemma added_correct : forall g h s t, Forall2 inside g s -> Forall2 inside h t ->
  Forall2 inside (map2 (I.add p) g h) (map2 Rplus s t).
Proof.
  intros g h s t G. revert h t. induction G as [| i v g s A G R]; intros h t K; cbn; [constructor |].
  destruct K; constructor; [apply inside_add; assumption | apply R; assumption].
Qed.

Lemma map2_length : forall (A B C : Type) (f : A -> B -> C) l m, length l = length m -> length (map2 f l m) = length l.
Proof. intros A B C f l. induction l; intros [| b m] L; cbn in *; try discriminate; auto. Qed.

(** A function whose slope between two places of an interval is known. *)
Definition chain (f : I.type -> I.type) (slope : I.type) (d : dual) : dual :=
  Dual (f (over d)) (f (near d)) (map (I.mul p slope) (slopes d)).

Lemma chain_correct : forall f phi slope d x c a,
  (forall i v, inside i v -> inside (over d) v -> inside (f i) (phi v)) ->
  (forall v w, inside (over d) v -> inside (over d) w -> exists t, inside slope t /\ phi v - phi w = t * (v - w)) ->
  pair d x c a -> pair (chain f slope d) x c (phi a).
Proof.
  intros f phi slope d x c a E M [A [b [s [B [N [S [L G]]]]]]]. split; [apply E; assumption |].
  destruct (M a b A B) as [t [T H]]. exists (phi b), (map (Rmult t) s). repeat split.
  - apply E; assumption.
  - apply E; assumption.
  - apply scaled_correct; assumption.
  - rewrite map_length. exact L.
  - rewrite gap_scale, <- G. exact H.
Qed.

(** Mean values of functions with a derivative. *)
Lemma mean : forall (phi dphi : R -> R) i, (forall v, inside i v -> is_derive phi v (dphi v)) ->
  forall v w, inside i v -> inside i w -> exists t, (exists u, inside i u /\ t = dphi u) /\ phi v - phi w = t * (v - w).
Proof.
  intros phi dphi i D v w V W.
  destruct (MVT_gen phi w v dphi) as [u [U H]].
  - intros u U. apply D. apply (between i w v); [assumption | assumption | lra].
  - intros u U. apply continuity_pt_filterlim, (ex_derive_continuous phi u). exists (dphi u). apply D.
    apply (between i w v); assumption.
  - exists (dphi u). split; [exists u; split; [apply (between i w v); assumption | reflexivity] | exact H].
Qed.

Definition dual_sin (d : dual) : dual := chain (range_sin p) (range_cos p (over d)) d.
Definition dual_cos (d : dual) : dual := chain (range_cos p) (I.neg (range_sin p (over d))) d.
Definition dual_exp (d : dual) : dual := chain (I.exp p) (I.exp p (over d)) d.
Definition dual_neg (d : dual) : dual := chain I.neg (I.fromZ p (-1)) d.
Definition dual_abs (d : dual) : dual :=
  chain I.abs (if nonneg_on (over d) then unit p else if nonpos_on (over d) then I.fromZ p (-1)
               else I.join (I.fromZ p (-1)) (unit p)) d.
Definition dual_ln (d : dual) : option dual :=
  if steady (over d) then Some (chain (I.ln p) (I.invnz p (over d)) d)
  else match range_ln p (over d) with Some i => Some (frozen i) | None => None end.
Definition dual_sqrt (d : dual) : option dual :=
  if steady (over d)
  then Some (chain (fun i => I.sqrt p (I.meet i nonneg)) (I.invnz p (I.mul p (I.fromZ p 2) (I.sqrt p (over d)))) d)
  else match range_sqrt p (over d) with Some i => Some (frozen i) | None => None end.
Definition dual_arcsin (d : dual) : option dual :=
  match range_arcsin p (over d) with Some i => Some (frozen i) | None => None end.
Definition dual_sinc (d : dual) : dual :=
  if away (over d)
  then chain (range_sinc p) (I.mul p (I.sub p (range_cos p (over d)) (range_sinc p (over d))) (I.invnz p (over d))) d
  else frozen (range_sinc p (over d)).
Definition dual_inv (d : dual) : dual :=
  chain (I.invnz p) (I.neg (I.invnz p (I.mul p (over d) (over d)))) d.
Definition dual_add (d e : dual) : dual :=
  Dual (I.add p (over d) (over e)) (I.add p (near d) (near e)) (map2 (I.add p) (slopes d) (slopes e)).
Definition dual_mul (d e : dual) : dual :=
  Dual (I.mul p (over d) (over e)) (I.mul p (near d) (near e))
    (map2 (I.add p) (map (I.mul p (over d)) (slopes e)) (map (I.mul p (near e)) (slopes d))).
Definition dual_div (d e : dual) : option dual :=
  if orb (positive_on (over e)) (negative_on (over e)) then Some (dual_mul d (dual_inv e))
  else match range_div p (over d) (over e) with Some i => Some (frozen i) | None => None end.
Definition dual_whole (m : positive) (d : dual) : dual :=
  match m with
  | 1%positive => d
  | _ => chain (range_whole p m) (I.mul p (I.fromZ p (Zpos m)) (range_whole p (Pos.pred m) (over d))) d
  end.
Definition dual_power (d e : dual) (q : option rational) : option dual :=
  if steady (over d) then
    match q with
    | Some r => Some (chain (fun i => I.exp p (I.mul p (number p r) (I.ln p i)))
        (I.mul p (number p r) (I.exp p (I.mul p (I.sub p (number p r) (unit p)) (I.ln p (over d))))) d)
    | None => match dual_ln d with Some l => Some (dual_exp (dual_mul e l)) | None => None end
    end
  else match range_power p (over d) (over e) with Some i => Some (frozen i) | None => None end.

Lemma dual_sin_correct : forall d x c a, pair d x c a -> pair (dual_sin d) x c (sin a).
Proof.
  intros d x c a H. apply (chain_correct _ sin); [intros; apply range_sin_correct; assumption | | exact H].
  intros v w V W. destruct (mean sin cos (over d)) with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
  - intros u _. apply is_derive_sin.
  - exists (cos u). split; [apply range_cos_correct, U | exact E].
Qed.

Lemma dual_cos_correct : forall d x c a, pair d x c a -> pair (dual_cos d) x c (cos a).
Proof.
  intros d x c a H. apply (chain_correct _ cos); [intros; apply range_cos_correct; assumption | | exact H].
  intros v w V W. destruct (mean cos (fun u => - sin u) (over d)) with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
  - intros u _. apply is_derive_cos.
  - exists (- sin u). split; [apply inside_neg, range_sin_correct, U | exact E].
Qed.

Lemma dual_exp_correct : forall d x c a, pair d x c a -> pair (dual_exp d) x c (exp a).
Proof.
  intros d x c a H. apply (chain_correct _ exp); [intros; apply inside_exp; assumption | | exact H].
  intros v w V W. destruct (mean exp exp (over d)) with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
  - intros u _. apply is_derive_exp.
  - exists (exp u). split; [apply inside_exp, U | exact E].
Qed.

Lemma dual_neg_correct : forall d x c a, pair d x c a -> pair (dual_neg d) x c (- a).
Proof.
  intros d x c a H. apply (chain_correct _ Ropp); [intros; apply inside_neg; assumption | | exact H].
  intros v w V W. exists (-1). split; [apply I.fromZ_correct | ring].
Qed.

Lemma dual_abs_correct : forall d x c a, pair d x c a -> pair (dual_abs d) x c (Rabs a).
Proof.
  intros d x c a H. apply (chain_correct _ Rabs); [intros; apply inside_abs; assumption | | exact H].
  intros v w V W. destruct (nonneg_on (over d)) eqn:P.
  { pose proof (nonneg_on_correct _ _ P V). pose proof (nonneg_on_correct _ _ P W).
    exists 1. split; [apply unit_correct |]. rewrite !Rabs_pos_eq by assumption. ring. }
  destruct (nonpos_on (over d)) eqn:M.
  { pose proof (nonpos_on_correct _ _ M V). pose proof (nonpos_on_correct _ _ M W).
    exists (-1). split; [apply I.fromZ_correct |]. rewrite !Rabs_left1 by assumption. ring. }
  destruct (Req_dec v w) as [-> | N].
  - exists 1. split; [apply inside_join_r, unit_correct | ring].
  - exists ((Rabs v - Rabs w) / (v - w)). split; [| field; lra].
    apply (between _ (-1) 1); [apply inside_join_l, I.fromZ_correct | apply inside_join_r, unit_correct |].
    rewrite Rmin_left, Rmax_right by lra.
    assert (B : Rabs ((Rabs v - Rabs w) / (v - w)) <= 1).
    { unfold Rdiv. rewrite Rabs_mult, Rabs_inv. apply (Rmult_le_reg_r (Rabs (v - w))); [apply Rabs_pos_lt; lra |].
      rewrite Rmult_assoc, Rinv_l by (apply Rabs_no_R0; lra). rewrite Rmult_1_r, Rmult_1_l. apply Rabs_triang_inv2. }
    apply Rabs_le_between in B. exact B.
Qed.

Lemma dual_ln_correct : forall d x c a, pair d x c a -> 0 < a -> is_pair (dual_ln d) x c (ln a).
Proof.
  intros d x c a H D. unfold dual_ln. destruct (steady (over d)) eqn:P0.
  - pose proof (steady_positive _ P0) as P. apply (chain_correct _ ln); [| | exact H].
    + intros i v V O. apply inside_ln; [exact V | exact (positive_on_correct _ _ P O)].
    + intros v w V W. destruct (mean ln (fun u => / u) (over d)) with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
      * intros u U. apply is_derive_ln, (positive_on_correct _ _ P U).
      * exists (/ u). split; [apply inside_invnz; [exact U | apply Rgt_not_eq, (positive_on_correct _ _ P U)] | exact E].
  - pose proof (range_ln_correct p _ _ (proj1 H) D) as R. destruct (range_ln p (over d)); [| destruct R].
    apply frozen_correct, R.
Qed.

Lemma inside_sqrt : forall i v, inside i v -> 0 <= v -> inside (I.sqrt p i) (sqrt v).
Proof.
  intros i v A D. pose proof (I.sqrt_correct p _ _ A) as H. unfold inside. cbn in H. unfold Xsqrt' in H.
  destruct (is_negative_spec v); [lra | exact H].
Qed.

Lemma dual_sqrt_correct : forall d x c a, pair d x c a -> 0 <= a -> is_pair (dual_sqrt d) x c (sqrt a).
Proof.
  intros d x c a H D. unfold dual_sqrt. destruct (steady (over d)) eqn:P0.
  - pose proof (steady_positive _ P0) as P. apply (chain_correct _ sqrt); [| | exact H].
    + intros i v V O. pose proof (positive_on_correct _ _ P O).
      apply inside_sqrt; [apply I.meet_correct; [exact V | apply nonneg_correct; lra] | lra].
    + intros v w V W.
      destruct (mean sqrt (fun u => / (2 * sqrt u)) (over d)) with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
      * intros u U. pose proof (positive_on_correct _ _ P U).
        apply is_derive_Reals, derivable_pt_lim_sqrt. assumption.
      * pose proof (positive_on_correct _ _ P U). exists (/ (2 * sqrt u)). split; [| exact E].
        apply inside_invnz.
        -- apply inside_mul; [apply I.fromZ_correct | apply inside_sqrt; [exact U | lra]].
        -- pose proof (sqrt_lt_R0 u). lra.
  - pose proof (range_sqrt_correct p _ _ (proj1 H) D) as R. destruct (range_sqrt p (over d)); [| destruct R].
    apply frozen_correct, R.
Qed.

Lemma dual_arcsin_correct : forall d x c a, pair d x c a -> -1 <= a <= 1 -> is_pair (dual_arcsin d) x c (asin a).
Proof.
  intros d x c a H D. unfold dual_arcsin. pose proof (range_arcsin_correct p _ _ (proj1 H) D) as R.
  destruct (range_arcsin p (over d)); [apply frozen_correct, R | destruct R].
Qed.

Lemma dual_sinc_correct : forall d x c a, pair d x c a -> pair (dual_sinc d) x c (sinc a).
Proof.
  intros d x c a H. unfold dual_sinc. destruct (away (over d)) eqn:W.
  - apply (chain_correct _ sinc); [intros; apply range_sinc_correct; assumption | | exact H].
    intros v w V K.
    destruct (mean (fun u => sin u / u) (fun u => (cos u - sinc u) * / u) (over d)) with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
    + intros u U. pose proof (away_correct _ _ W U) as N. rewrite (sinc_away _ N).
      auto_derive; [exact N | field; exact N].
    + pose proof (away_correct _ _ W U) as N. exists ((cos u - sinc u) * / u). split.
      * apply inside_mul; [apply inside_sub; [apply range_cos_correct, U | apply range_sinc_correct, U] | apply inside_invnz; assumption].
      * rewrite (sinc_away v), (sinc_away w) by (eapply away_correct; eassumption). exact E.
  - apply frozen_correct, range_sinc_correct, (proj1 H).
Qed.

Lemma dual_add_correct : forall d e x c a b, pair d x c a -> pair e x c b -> pair (dual_add d e) x c (a + b).
Proof.
  intros d e x c a b [A [a' [s [A1 [A2 [S [L G]]]]]]] [B [b' [t [B1 [B2 [T [M K]]]]]]].
  split; [apply inside_add; assumption |]. exists (a' + b'), (map2 Rplus s t). repeat split.
  - apply inside_add; assumption.
  - apply inside_add; assumption.
  - apply added_correct; assumption.
  - rewrite map2_length; congruence.
  - rewrite gap_add by congruence. rewrite <- G, <- K. ring.
Qed.

Lemma dual_mul_correct : forall d e x c a b, pair d x c a -> pair e x c b -> pair (dual_mul d e) x c (a * b).
Proof.
  intros d e x c a b [A [a' [s [A1 [A2 [S [L G]]]]]]] [B [b' [t [B1 [B2 [T [M K]]]]]]].
  split; [apply inside_mul; assumption |].
  exists (a' * b'), (map2 Rplus (map (Rmult a) t) (map (Rmult b') s)). repeat split.
  - apply inside_mul; assumption.
  - apply inside_mul; assumption.
  - apply added_correct; apply scaled_correct; assumption.
  - rewrite map2_length; rewrite !map_length; congruence.
  - rewrite gap_add by (rewrite !map_length; congruence). rewrite !gap_scale, <- G, <- K. ring.
Qed.

Lemma dual_inv_correct : forall d x c a, (forall v, inside (over d) v -> v <> 0) -> pair d x c a ->
  pair (dual_inv d) x c (/ a).
Proof.
  intros d x c a N H. apply (chain_correct _ Rinv); [| | exact H].
  - intros i v V O. apply inside_invnz; [exact V | exact (N _ O)].
  - intros v w V W. exists (- / (v * w)). pose proof (N _ V). pose proof (N _ W). split.
    + apply inside_neg, inside_invnz; [apply inside_mul; assumption | apply Rmult_integral_contrapositive; split; assumption].
    + field. split; assumption.
Qed.

Lemma dual_div_correct : forall d e x c a b, pair d x c a -> pair e x c b -> b <> 0 -> is_pair (dual_div d e) x c (a / b).
Proof.
  intros d e x c a b A B N. unfold dual_div.
  destruct (orb (positive_on (over e)) (negative_on (over e))) eqn:S.
  - apply dual_mul_correct; [exact A | apply dual_inv_correct; [| exact B]].
    intros v V. apply Bool.orb_prop in S. destruct S as [S | S].
    + apply Rgt_not_eq, (positive_on_correct _ _ S V).
    + apply Rlt_not_eq, (negative_on_correct _ _ S V).
  - pose proof (range_div_correct p _ _ _ _ (proj1 A) (proj1 B) N) as R.
    destruct (range_div p (over d) (over e)); [apply frozen_correct, R | destruct R].
Qed.

Lemma dual_whole_correct : forall m d x c a, pair d x c a -> pair (dual_whole m d) x c (a ^ Pos.to_nat m).
Proof.
  intros m d x c a H.
  assert (C : forall k, k <> 1%positive -> pair (chain (range_whole p k)
    (I.mul p (I.fromZ p (Zpos k)) (range_whole p (Pos.pred k) (over d))) d) x c (a ^ Pos.to_nat k)).
  { intros k K. apply (chain_correct _ (fun v => v ^ Pos.to_nat k)); [intros; apply inside_whole; assumption | | exact H].
    intros v w V W.
    destruct (mean (fun u => u ^ Pos.to_nat k) (fun u => IZR (Zpos k) * u ^ Pos.to_nat (Pos.pred k)) (over d))
      with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
    - intros u _. apply is_derive_Reals. rewrite <- positive_nat_Z, <- INR_IZR_INZ, Pos2Nat.inj_pred by lia.
      rewrite <- Nat.pred_succ with (n := pred (Pos.to_nat k)) at 1.
      rewrite Nat.pred_succ. apply derivable_pt_lim_pow.
    - eexists. split; [| exact E]. apply inside_mul; [apply I.fromZ_correct | apply inside_whole, U]. }
  destruct m as [m | m |]; [apply C; discriminate | apply C; discriminate |].
  cbn [dual_whole]. change (Pos.to_nat 1) with 1%nat. rewrite pow_1. exact H.
Qed.

Lemma dual_power_correct : forall d e x c a b q, pair d x c a -> pair e x c b -> 0 < a \/ (a = 0 /\ 0 <= b) ->
  (forall r, q = Some r -> b = real_of r) -> is_pair (dual_power d e q) x c (power a b).
Proof.
  intros d e x c a b q A B D Q. unfold dual_power. destruct (steady (over d)) eqn:P0.
  - pose proof (steady_positive _ P0) as P. pose proof (positive_on_correct _ _ P (proj1 A)) as S. rewrite power_positive by exact S.
    destruct q as [r |].
    + rewrite (Q r eq_refl). apply (chain_correct _ (fun v => Rpower v (real_of r))); [| | exact A].
      * intros i v V O. unfold Rpower. apply inside_exp, inside_mul; [apply number_correct |].
        apply inside_ln; [exact V | exact (positive_on_correct _ _ P O)].
      * intros v w V W.
        destruct (mean (fun v => Rpower v (real_of r)) (fun u => real_of r * Rpower u (real_of r - 1)) (over d))
          with (v := v) (w := w) as [t [[u [U ->]] E]]; auto.
        -- intros u U. apply is_derive_Reals, derivable_pt_lim_power, (positive_on_correct _ _ P U).
        -- eexists. split; [| exact E]. apply inside_mul; [apply number_correct |].
           unfold Rpower. apply inside_exp, inside_mul.
           ++ apply inside_sub; [apply number_correct | apply unit_correct].
           ++ apply inside_ln; [exact U | exact (positive_on_correct _ _ P U)].
    + pose proof (dual_ln_correct _ _ _ _ A S) as L. destruct (dual_ln d); [| destruct L].
      unfold Rpower. apply dual_exp_correct, dual_mul_correct; assumption.
  - pose proof (range_power_correct p _ _ _ _ (proj1 A) (proj1 B) D) as R.
    destruct (range_power p (over d) (over e)); [apply frozen_correct, R | destruct R].
Qed.

(** All parts of a formula. *)
Definition variable (i : nat) (b c : list I.type) : dual :=
  if Nat.ltb i n then Dual (nth i b I.nai) (nth i c I.nai)
    (map (fun k => if Nat.eqb k i then unit p else I.zero) (seq 0 n))
  else frozen I.nai.

Definition lift (f : dual -> option dual) (a : option dual) : option dual :=
  match a with Some i => f i | None => None end.
Definition lift2 (f : dual -> dual -> option dual) (a b : option dual) : option dual :=
  match a, b with Some i, Some j => f i j | _, _ => None end.
Definition constant (e : expr) : option rational := match e with Num q => Some q | _ => None end.

Fixpoint slope (e : expr) (b c : list I.type) : option dual :=
  match e with
  | Var i => Some (variable i b c)
  | Num q => Some (frozen (number p q))
  | Pi => Some (frozen (I.pi p))
  | Neg a => lift (fun d => Some (dual_neg d)) (slope a b c)
  | Abs a => lift (fun d => Some (dual_abs d)) (slope a b c)
  | Sqrt a => lift dual_sqrt (slope a b c)
  | Ln a => lift dual_ln (slope a b c)
  | Exp a => lift (fun d => Some (dual_exp d)) (slope a b c)
  | Sin a => lift (fun d => Some (dual_sin d)) (slope a b c)
  | Cos a => lift (fun d => Some (dual_cos d)) (slope a b c)
  | Arcsin a => lift dual_arcsin (slope a b c)
  | Sinc a => lift (fun d => Some (dual_sinc d)) (slope a b c)
  | Add a e => lift2 (fun d e => Some (dual_add d e)) (slope a b c) (slope e b c)
  | Sub a e => lift2 (fun d e => Some (dual_add d (dual_neg e))) (slope a b c) (slope e b c)
  | Mul a e => lift2 (fun d e => Some (dual_mul d e)) (slope a b c) (slope e b c)
  | Div a e => lift2 dual_div (slope a b c) (slope e b c)
  | Whole a m => lift (fun d => Some (dual_whole m d)) (slope a b c)
  | Power a e => lift2 (fun d f => dual_power d f (constant e)) (slope a b c) (slope e b c)
  end.

Lemma units_correct : forall i l,
  Forall2 inside (map (fun k => if Nat.eqb k i then unit p else I.zero) l) (map (fun k => if Nat.eqb k i then 1 else 0) l).
Proof.
  intros i l. induction l as [| k l H]; cbn; constructor; [| exact H].
  destruct (Nat.eqb k i); [apply unit_correct | apply zero_inside].
Qed.

Lemma inside_nai : forall v, inside I.nai v.
Proof. intros v. unfold inside. rewrite I.nai_correct. exact Logic.I. Qed.

Lemma same_length : forall b x, box_holds b x -> length b = length x.
Proof. intros b x H. induction H; cbn; congruence. Qed.

Theorem slope_correct : forall e b c x v, box_holds b x -> box_holds b v -> box_holds c v -> length b = n ->
  defined e x -> is_pair (slope e b c) x v (value e x).
Proof.
  intros e b c x v X V C N. induction e; cbn [defined value slope]; intros D;
    repeat match goal with H : _ /\ _ |- _ => destruct H end;
    repeat match goal with
    | IH : defined ?a x -> is_pair (slope ?a b c) _ _ _, D : defined ?a x |- _ =>
        specialize (IH D); destruct (slope a b c); [cbn in IH | destruct IH]
    end; cbn [lift lift2]; cbn [is_pair].
  - unfold variable. destruct (Nat.ltb_spec i n) as [L | L].
    + split; [apply nth_inside, X |]. exists (nth i v 0), (map (fun k => if Nat.eqb k i then 1 else 0) (seq 0 n)).
      repeat split.
      * apply nth_inside, V.
      * apply nth_inside, C.
      * apply units_correct.
      * rewrite map_length, seq_length. reflexivity.
      * symmetry. apply gap_one; [| | exact L].
        -- rewrite <- (same_length _ _ X). exact N.
        -- rewrite <- (same_length _ _ V). exact N.
    + apply frozen_correct, inside_nai.
  - apply frozen_correct, number_correct.
  - apply frozen_correct, I.pi_correct.
  - apply dual_neg_correct; assumption.
  - apply dual_abs_correct; assumption.
  - apply dual_sqrt_correct; assumption.
  - apply dual_ln_correct; assumption.
  - apply dual_exp_correct; assumption.
  - apply dual_sin_correct; assumption.
  - apply dual_cos_correct; assumption.
  - apply dual_arcsin_correct; [assumption | split; assumption].
  - apply dual_sinc_correct; assumption.
  - apply dual_add_correct; assumption.
  - apply dual_add_correct; [assumption | apply dual_neg_correct; assumption].
  - apply dual_mul_correct; assumption.
  - apply dual_div_correct; assumption.
  - apply dual_whole_correct; assumption.
  - apply dual_power_correct; try assumption. intros r E. destruct e2; try discriminate. injection E as ->. reflexivity.
Qed.

End Precision.

End Slopes.
