(** Tables: functions of one variable that run straight from each of their points to the next. Links of a sum give them
    and take them, so that they cancel. *)
From Coq Require Import Reals ZArith List Lra.
From Interval Require Import Real.Xreal Float.Basic Float.Sig.
From Flocq Require Zaux.
From CPC Require Import Language.
From CPC Require Slopes.
Import ListNotations.
Open Scope R_scope.

(** A place and the value there. *)
Definition mark : Type := rational * rational.
Inductive table : Type :=
| Piece (a b : mark)
| Joined (t : rational) (low high : table).

Definition steepness (a b : mark) : R := (real_of (snd b) - real_of (snd a)) / (real_of (fst b) - real_of (fst a)).
Fixpoint at_ (f : table) (x : R) : R :=
  match f with
  | Piece a b => real_of (snd a) + steepness a b * (x - real_of (fst a))
  | Joined t low high => if Rle_dec x (real_of t) then at_ low x else at_ high x
  end.

Fixpoint first (f : table) : mark := match f with Piece a _ => a | Joined _ low _ => first low end.
Fixpoint last (f : table) : mark := match f with Piece _ b => b | Joined _ _ high => last high end.
Definition spans (f : table) (x : R) : Prop := real_of (fst (first f)) <= x <= real_of (fst (last f)).

(** Its pieces meet, and go on to the right. *)
Fixpoint whole (f : table) : Prop :=
  match f with
  | Piece a b => real_of (fst a) < real_of (fst b)
  | Joined t low high => whole low /\ whole high /\ fst (last low) = t /\ first high = last low
  end.

Definition same (q r : rational) : bool := (Z.eqb (fst q) (fst r) && Pos.eqb (snd q) (snd r))%bool.
Definition before (q r : rational) : bool := Z.ltb (fst q * Zpos (snd r)) (fst r * Zpos (snd q)).
Fixpoint is_whole (f : table) : bool :=
  match f with
  | Piece a b => before (fst a) (fst b)
  | Joined t low high => (is_whole low && is_whole high) && (same (fst (last low)) t
      && (same (fst (first high)) (fst (last low)) && same (snd (first high)) (snd (last low))))
  end%bool.

Lemma same_correct : forall q r, same q r = true -> q = r.
Proof.
  intros [a b] [c d] H. unfold same in H. apply andb_prop in H. destruct H as [H K].
  apply Z.eqb_eq in H. apply Pos.eqb_eq in K. cbn in *. congruence.
Qed.

Lemma real_of_quotient : forall q, real_of q = IZR (fst q) / IZR (Zpos (snd q)).
Proof. intros [n [d | d |]]; cbn; try reflexivity. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. reflexivity. Qed.

Lemma before_correct : forall q r, if before q r then real_of q < real_of r else real_of r <= real_of q.
Proof.
  intros [a b] [c d]. unfold before. rewrite !real_of_quotient. cbn.
  assert (P : 0 < IZR (Zpos b)) by (apply IZR_lt; reflexivity).
  assert (Q : 0 < IZR (Zpos d)) by (apply IZR_lt; reflexivity).
  destruct (Z.ltb_spec (a * Z.pos d) (c * Z.pos b)) as [H | H]; [apply IZR_lt in H | apply IZR_le in H];
    rewrite !mult_IZR in H; revert H P Q; generalize (IZR (Zpos b)), (IZR (Zpos d)); intros u v H P Q;
    [apply (Rmult_lt_reg_r (u * v)) | apply (Rmult_le_reg_r (u * v))]; try (apply Rmult_lt_0_compat; assumption);
    replace (IZR a / u * (u * v)) with (IZR a * v) by (field; lra);
    replace (IZR c / v * (u * v)) with (IZR c * u) by (field; lra); exact H.
Qed.

Definition plus_q (q r : rational) : rational := ((fst q * Zpos (snd r) + fst r * Zpos (snd q))%Z, (snd q * snd r)%positive).
Lemma plus_q_correct : forall q r, real_of (plus_q q r) = real_of q + real_of r.
Proof.
  intros [a b] [c d]. rewrite !real_of_quotient. unfold plus_q. cbn [fst snd].
  rewrite Pos2Z.inj_mul, plus_IZR, !mult_IZR.
  assert (P : 0 < IZR (Zpos b)) by (apply IZR_lt; reflexivity).
  assert (Q : 0 < IZR (Zpos d)) by (apply IZR_lt; reflexivity).
  revert P Q. generalize (IZR (Zpos b)), (IZR (Zpos d)). intros u v P Q. field. lra.
Qed.

Lemma is_whole_correct : forall f, is_whole f = true -> whole f.
Proof.
  intros f. induction f as [a b | t low L high H]; cbn [is_whole whole]; intros W; [pose proof (before_correct (fst a) (fst b)) as B; rewrite W in B; exact B |].
  repeat match goal with X : (_ && _)%bool = true |- _ => apply andb_prop in X; destruct X end.
  repeat split; auto using same_correct. destruct (first high), (last low). cbn in *.
  f_equal; apply same_correct; assumption.
Qed.

Lemma spans_ends : forall f, whole f -> real_of (fst (first f)) < real_of (fst (last f)).
Proof.
  intros f. induction f as [a b | t low L high H]; cbn [whole first last]; intros W; [exact W |].
  destruct W as [W1 [W2 [E1 E2]]]. specialize (L W1). specialize (H W2). rewrite E2 in H. lra.
Qed.

Lemma at_first : forall f, whole f -> at_ f (real_of (fst (first f))) = real_of (snd (first f)).
Proof.
  intros f. induction f as [a b | t low L high H]; cbn [whole first last at_]; intros W; [ring |].
  destruct W as [W1 [W2 [E1 E2]]]. pose proof (spans_ends _ W1). rewrite <- E1. destruct (Rle_dec _ _); [auto | lra].
Qed.

Lemma at_last : forall f, whole f -> at_ f (real_of (fst (last f))) = real_of (snd (last f)).
Proof.
  intros f. induction f as [a b | t low L high H]; cbn [whole first last at_]; intros W.
  - unfold steepness. field. lra.
  - destruct W as [W1 [W2 [E1 E2]]]. pose proof (spans_ends _ W2) as S. rewrite E2, E1 in S.
    destruct (Rle_dec _ _); [lra | auto].
Qed.

(** At and beyond t the upper part counts, at t as well. *)
Lemma at_high : forall t low high x, whole (Joined t low high) -> real_of t <= x -> at_ (Joined t low high) x = at_ high x.
Proof.
  intros t low high x W T. cbn [whole at_] in *. destruct W as [W1 [W2 [E1 E2]]].
  destruct (Rle_dec x (real_of t)) as [L |]; [| reflexivity]. assert (x = real_of t) by lra. subst x.
  rewrite <- E1 at 1. rewrite (at_last _ W1), <- E2, <- (at_first _ W2). f_equal. congruence.
Qed.
Lemma at_low : forall t low high x, x <= real_of t -> at_ (Joined t low high) x = at_ low x.
Proof. intros t low high x T. cbn [at_]. destruct (Rle_dec x (real_of t)); [reflexivity | contradiction]. Qed.

(** A table from its points, by joining neighbours again and again. *)
Fixpoint pieces (a : mark) (l : list mark) : list table :=
  match l with b :: l' => Piece a b :: pieces b l' | [] => [] end.
Fixpoint in_pairs (l : list table) : list table :=
  match l with f :: g :: l' => Joined (fst (last f)) f g :: in_pairs l' | _ => l end.
Fixpoint joined (d : nat) (l : list table) : option table :=
  match l, d with
  | [f], _ => Some f
  | _, S d' => joined d' (in_pairs l)
  | _, O => None
  end.
Definition of_marks (l : list mark) : table :=
  match l with
  | a :: l' => match joined 40 (pieces a l') with Some f => f | None => Piece a a end
  | [] => let zero := (0%Z, 1%positive) in Piece (zero, zero) (zero, zero)
  end.

Module Tables (F : FloatOps with Definition radix := Zaux.radix2 with Definition sensible_format := true).

Module Import S := Slopes.Slopes F.
Import S.R.

Section Precision.
Variable p : F.precision.

(** The same with its numbers as intervals, and with the range and the slopes of each part. *)
Inductive kept : Type :=
| One (hull steep start level : I.type)
| Both (hull steep : I.type) (from t to_ : I.type) (end_ : option F.type) (low high : kept).
Definition hull_of (k : kept) : I.type := match k with One h _ _ _ => h | Both h _ _ _ _ _ _ _ => h end.
Definition steep_of (k : kept) : I.type := match k with One _ s _ _ => s | Both _ s _ _ _ _ _ _ => s end.
Fixpoint keep (f : table) : kept :=
  match f with
  | Piece a b => One (I.join (number p (snd a)) (number p (snd b)))
      (I.div p (I.sub p (number p (snd b)) (number p (snd a))) (I.sub p (number p (fst b)) (number p (fst a))))
      (number p (fst a)) (number p (snd a))
  | Joined t low high =>
      let l := keep low in let h := keep high in
      Both (I.join (hull_of l) (hull_of h)) (I.join (steep_of l) (steep_of h))
        (number p (fst (first low))) (number p t) (number p (fst (last high))) (exactly p t) l h
  end.

(** Whether an interval is on one side of a number that is known exactly. *)
Definition at_most (i : I.type) (t : option F.type) : bool :=
  match t with Some f => I.subset i (I.lower_extent (I.singleton f)) | None => false end.
Definition at_least (i : I.type) (t : option F.type) : bool :=
  match t with Some f => I.subset i (I.upper_extent (I.singleton f)) | None => false end.
Definition covers (i from to_ : I.type) : bool := (I.subset from i && I.subset to_ i)%bool.
Definition left_of (t i : I.type) : I.type := I.meet i (I.lower_extent t).
Definition right_of (t i : I.type) : I.type := I.meet i (I.upper_extent t).

(** Its values over an interval, and its slopes between places of an interval. *)
Fixpoint range_kept (k : kept) (i : I.type) : I.type :=
  match k with
  | One h s t v => I.meet h (I.add p v (I.mul p s (I.sub p i t)))
  | Both h _ from t to_ end_ low high =>
      if covers i from to_ then h
      else if at_most i end_ then range_kept low i
      else if at_least i end_ then range_kept high i
      else I.join (range_kept low (left_of t i)) (range_kept high (right_of t i))
  end.
Fixpoint steep_kept (k : kept) (i : I.type) : I.type :=
  match k with
  | One _ s _ _ => s
  | Both _ s from t to_ end_ low high =>
      if covers i from to_ then s
      else if at_most i end_ then steep_kept low i
      else if at_least i end_ then steep_kept high i
      else I.join (steep_kept low (left_of t i)) (steep_kept high (right_of t i))
  end.

Lemma steep_piece : forall a b, real_of (fst a) < real_of (fst b) -> inside (steep_of (keep (Piece a b))) (steepness a b).
Proof.
  intros a b W. cbn. apply inside_div; [apply inside_sub; apply number_correct | apply inside_sub; apply number_correct | lra].
Qed.

Lemma hull_correct : forall f x, whole f -> spans f x -> inside (hull_of (keep f)) (at_ f x).
Proof.
  intros f. induction f as [a b | t low L high H]; intros x W X; unfold spans in X; cbn [whole first last at_ keep hull_of] in *.
  - assert (E : exists s, 0 <= s <= 1 /\ x - real_of (fst a) = s * (real_of (fst b) - real_of (fst a))).
    { exists ((x - real_of (fst a)) / (real_of (fst b) - real_of (fst a))). split; [| field; lra]. split.
      - apply Rmult_le_pos; [lra |]. left. apply Rinv_0_lt_compat. lra.
      - apply (Rmult_le_reg_r (real_of (fst b) - real_of (fst a))); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    destruct E as [s [S E]].
    apply (between _ (real_of (snd a)) (real_of (snd b)));
      [apply inside_join_l, number_correct | apply inside_join_r, number_correct |].
    rewrite E. unfold steepness.
    replace ((real_of (snd b) - real_of (snd a)) / (real_of (fst b) - real_of (fst a)) * (s * (real_of (fst b) - real_of (fst a))))
      with (s * (real_of (snd b) - real_of (snd a))) by (field; lra).
    unfold Rmin, Rmax. destruct (Rle_dec (real_of (snd a)) (real_of (snd b))); split; nra.
  - destruct W as [W1 [W2 [E1 E2]]]. destruct (Rle_dec x (real_of t)).
    + apply inside_join_l, L; [exact W1 |]. split; [tauto | rewrite E1; assumption].
    + apply inside_join_r, H; [exact W2 |]. split; [rewrite E2, E1; lra | tauto].
Qed.

Lemma right_side : forall t i x, at_most i (exactly p t) = true -> inside i x -> x <= real_of t.
Proof.
  intros t i x N A. unfold at_most in N. destruct (exactly p t) as [f |] eqn:E; [| discriminate].
  exact (under_end _ _ _ (exactly_correct _ _ _ E) (I.subset_correct _ _ _ A N)).
Qed.
Lemma left_side : forall t i x, at_least i (exactly p t) = true -> inside i x -> real_of t <= x.
Proof.
  intros t i x N A. unfold at_least in N. destruct (exactly p t) as [f |] eqn:E; [| discriminate].
  exact (above_end _ _ _ (exactly_correct _ _ _ E) (I.subset_correct _ _ _ A N)).
Qed.
Lemma left_of_correct : forall t i x, inside i x -> x <= real_of t -> inside (left_of (number p t) i) x.
Proof. intros t i x A L. apply I.meet_correct; [exact A | exact (I.lower_extent_correct _ _ _ (number_correct p t) L)]. Qed.
Lemma right_of_correct : forall t i x, inside i x -> real_of t <= x -> inside (right_of (number p t) i) x.
Proof. intros t i x A L. apply I.meet_correct; [exact A | exact (I.upper_extent_correct _ _ _ (number_correct p t) L)]. Qed.

Lemma spans_low : forall t low high x, whole (Joined t low high) -> spans (Joined t low high) x -> x <= real_of t -> spans low x.
Proof. intros t low high x W X L. unfold spans in *. cbn [whole first last] in *. destruct W as [_ [_ [E _]]]. rewrite E. lra. Qed.
Lemma spans_high : forall t low high x, whole (Joined t low high) -> spans (Joined t low high) x -> real_of t <= x -> spans high x.
Proof. intros t low high x W X L. unfold spans in *. cbn [whole first last] in *. destruct W as [_ [_ [E G]]]. rewrite G, E. lra. Qed.

Lemma range_kept_correct : forall f i x, whole f -> spans f x -> inside i x -> inside (range_kept (keep f) i) (at_ f x).
Proof.
  intros f. induction f as [a b | t low L high H]; intros i x W X A.
  - pose proof (hull_correct _ _ W X) as U. cbn in U |- *. apply I.meet_correct; [exact U |].
    apply inside_add; [apply number_correct |]. apply inside_mul; [exact (steep_piece a b W) |].
    apply inside_sub; [exact A | apply number_correct].
  - pose proof (hull_correct _ _ W X) as U. cbn [keep range_kept]. cbn [keep hull_of] in U.
    destruct (covers _ _ _); [exact U |]. pose proof W as [W1 [W2 _]].
    destruct (at_most i (exactly p t)) eqn:N.
    { pose proof (right_side _ _ _ N A). rewrite at_low by assumption.
      apply L; [exact W1 | eapply spans_low; eassumption | exact A]. }
    destruct (at_least i (exactly p t)) eqn:M.
    { pose proof (left_side _ _ _ M A). rewrite (at_high _ _ _ _ W) by assumption.
      apply H; [exact W2 | eapply spans_high; eassumption | exact A]. }
    destruct (Rle_dec x (real_of t)) as [T | T].
    + rewrite at_low by assumption. apply inside_join_l, L; [exact W1 | eapply spans_low; eassumption |].
      apply left_of_correct; assumption.
    + apply Rnot_le_lt in T. rewrite (at_high _ _ _ _ W) by lra.
      apply inside_join_r, H; [exact W2 | eapply spans_high; eauto; lra | apply right_of_correct; [assumption | lra]].
Qed.

Lemma steep_split : forall (g : R -> R) S v t w s r, v <= t <= w -> inside S s -> inside S r ->
  g v - g t = s * (v - t) -> g t - g w = r * (t - w) -> exists q, inside S q /\ g v - g w = q * (v - w).
Proof.
  intros g S v t w s r O A B E G. destruct (Req_dec v w) as [N | N].
  - exists s. split; [exact A |]. assert (v = t) by lra. subst. rewrite Rminus_diag_eq by congruence. ring.
  - exists ((s * (v - t) + r * (t - w)) / (v - w)). split; [| rewrite <- E, <- G; field; lra].
    assert (P : exists z, 0 <= z <= 1 /\ t - v = z * (w - v)).
    { exists ((t - v) / (w - v)). split; [| field; lra]. split.
      - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
      - apply (Rmult_le_reg_r (w - v)); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    destruct P as [z [Z P]]. apply (between _ s r); [exact A | exact B |].
    replace ((s * (v - t) + r * (t - w)) / (v - w)) with (z * s + (1 - z) * r).
    + unfold Rmin, Rmax. destruct (Rle_dec s r); split; nra.
    + replace (v - t) with (z * (v - w)) by lra. replace (t - w) with ((1 - z) * (v - w)) by lra. field. lra.
Qed.

Lemma steep_correct : forall f v w, whole f -> spans f v -> spans f w -> v <= w ->
  exists s, inside (steep_of (keep f)) s /\ at_ f v - at_ f w = s * (v - w).
Proof.
  intros f. induction f as [a b | t low L high H]; intros v w W V X O.
  - exists (steepness a b). split; [exact (steep_piece a b W) |]. cbn [at_]. ring.
  - pose proof W as [W1 [W2 _]]. cbn [keep steep_of].
    destruct (Rle_dec w (real_of t)) as [T | T].
    { rewrite !at_low by lra. destruct (L v w W1) as [s [S E]]; try (eapply spans_low; eauto; lra); try lra.
      exists s. split; [apply inside_join_l, S | exact E]. }
    apply Rnot_le_lt in T. destruct (Rle_dec (real_of t) v) as [U | U].
    { rewrite !(at_high _ _ _ _ W) by lra. destruct (H v w W2) as [s [S E]]; try (eapply spans_high; eauto; lra); try lra.
      exists s. split; [apply inside_join_r, S | exact E]. }
    apply Rnot_le_lt in U. assert (Y : spans (Joined t low high) (real_of t)) by (unfold spans in *; lra).
    destruct (L v (real_of t) W1) as [s [S E]]; try (eapply spans_low; eauto; lra); try lra.
    destruct (H (real_of t) w W2) as [r [R G]]; try (eapply spans_high; eauto; lra); try lra.
    apply (steep_split (at_ (Joined t low high)) _ v (real_of t) w s r); try lra.
    + apply inside_join_l, S.
    + apply inside_join_r, R.
    + rewrite !at_low by lra. exact E.
    + rewrite !(at_high _ _ _ _ W) by lra. exact G.
Qed.

Lemma steep_kept_up : forall f i v w, whole f -> spans f v -> spans f w -> inside i v -> inside i w -> v <= w ->
  exists s, inside (steep_kept (keep f) i) s /\ at_ f v - at_ f w = s * (v - w).
Proof.
  intros f. induction f as [a b | t low L high H]; intros i v w W V X A B O.
  - exact (steep_correct (Piece a b) v w W V X O).
  - pose proof (steep_correct _ v w W V X O) as U. cbn [keep steep_kept]. cbn [keep steep_of] in U.
    destruct (covers _ _ _); [exact U |]. pose proof W as [W1 [W2 _]].
    destruct (at_most i (exactly p t)) eqn:N.
    { pose proof (right_side _ _ _ N A). pose proof (right_side _ _ _ N B). rewrite !at_low by assumption.
      apply L; auto; eapply spans_low; eauto. }
    destruct (at_least i (exactly p t)) eqn:M.
    { pose proof (left_side _ _ _ M A). pose proof (left_side _ _ _ M B). rewrite !(at_high _ _ _ _ W) by assumption.
      apply H; auto; eapply spans_high; eauto. }
    destruct (Rle_dec w (real_of t)) as [T | T].
    { rewrite !at_low by lra.
      destruct (L (left_of (number p t) i) v w W1) as [s [S E]]; try (eapply spans_low; eauto; lra); try lra;
        try (apply left_of_correct; [assumption | lra]).
      exists s. split; [apply inside_join_l, S | exact E]. }
    apply Rnot_le_lt in T. destruct (Rle_dec (real_of t) v) as [K | K].
    { rewrite !(at_high _ _ _ _ W) by lra.
      destruct (H (right_of (number p t) i) v w W2) as [s [S E]]; try (eapply spans_high; eauto; lra); try lra;
        try (apply right_of_correct; [assumption | lra]).
      exists s. split; [apply inside_join_r, S | exact E]. }
    apply Rnot_le_lt in K. assert (Y : spans (Joined t low high) (real_of t)) by (unfold spans in *; lra).
    assert (C : inside i (real_of t)) by (apply (between i v w); [exact A | exact B |]; rewrite Rmin_left, Rmax_right; lra).
    destruct (L (left_of (number p t) i) v (real_of t) W1) as [s [S E]]; try (eapply spans_low; eauto; lra); try lra;
      try (apply left_of_correct; [assumption | lra]).
    destruct (H (right_of (number p t) i) (real_of t) w W2) as [r [R G]]; try (eapply spans_high; eauto; lra); try lra;
      try (apply right_of_correct; [assumption | lra]).
    apply (steep_split (at_ (Joined t low high)) _ v (real_of t) w s r); try lra.
    + apply inside_join_l, S.
    + apply inside_join_r, R.
    + rewrite !at_low by lra. exact E.
    + rewrite !(at_high _ _ _ _ W) by lra. exact G.
Qed.

Lemma steep_kept_correct : forall f i v w, whole f -> spans f v -> spans f w -> inside i v -> inside i w ->
  exists s, inside (steep_kept (keep f) i) s /\ at_ f v - at_ f w = s * (v - w).
Proof.
  intros f i v w W V X A B. destruct (Rle_dec v w) as [O | O]; [apply steep_kept_up; assumption |].
  destruct (steep_kept_up f i w v W X V B A) as [s [S E]]; [lra |]. exists s. split; [exact S | lra].
Qed.

(** Tables that are added to a link, or taken off it, each with its variable. *)
Definition lent : Type := bool * (nat * table).
Definition lent_value (ts : list lent) (x : list R) : R :=
  fold_right (fun t s => (if fst t : bool then at_ (snd (snd t)) (nth (fst (snd t)) x 0)
                          else - at_ (snd (snd t)) (nth (fst (snd t)) x 0)) + s) 0 ts.
Definition fits (ts : list lent) (x : list R) : Prop :=
  Forall (fun t => whole (snd (snd t)) /\ spans (snd (snd t)) (nth (fst (snd t)) x 0)) ts.

Record loan : Type := Loan { plus : bool; axis : nat; from_ : option F.type; upto : option F.type; rows : kept }.
Definition loan_of (t : lent) : loan :=
  let f := snd (snd t) in Loan (fst t) (fst (snd t)) (exactly p (fst (first f))) (exactly p (fst (last f))) (keep f).

(** What they add to a range, and to the pairs of the mean-value form. *)
Fixpoint lent_range (ks : list loan) (b : list I.type) (i : I.type) : I.type :=
  match ks with
  | [] => i
  | k :: ks' => let r := range_kept (rows k) (nth (axis k) b I.nai) in
      lent_range ks' b (I.add p i (if plus k then r else I.neg r))
  end.
Definition loan_dual (n : nat) (k : loan) (b c : list I.type) : dual :=
  let i := nth (axis k) b I.nai in
  let d := if (Nat.ltb (axis k) n && (at_least i (from_ k) && at_most i (upto k)))%bool
    then chain p (range_kept (rows k)) (steep_kept (rows k) i) (variable p n (axis k) b c)
    else frozen n (range_kept (rows k) i) in
  if plus k then d else dual_neg p d.
Fixpoint lent_dual (n : nat) (ks : list loan) (b c : list I.type) (d : dual) : dual :=
  match ks with [] => d | k :: ks' => lent_dual n ks' b c (dual_add p d (loan_dual n k b c)) end.

Lemma lent_range_correct : forall ts b x i v, box_holds b x -> fits ts x -> inside i v ->
  inside (lent_range (map loan_of ts) b i) (v + lent_value ts x).
Proof.
  intros ts b x i v X. revert i v. induction ts as [| [s [k f]] ts R]; intros i v T A.
  - cbn. rewrite Rplus_0_r. exact A.
  - inversion T as [| ? ? [W Y] Z]; subst. cbn [map lent_range].
    change (lent_value ((s, (k, f)) :: ts) x)
      with ((if s then at_ f (nth k x 0) else - at_ f (nth k x 0)) + lent_value ts x).
    rewrite <- Rplus_assoc. apply R; [exact Z |]. apply inside_add; [exact A |]. cbn [plus loan_of fst snd rows axis] in *.
    assert (B : inside (range_kept (keep f) (nth k b I.nai)) (at_ f (nth k x 0)))
      by (apply range_kept_correct; [exact W | exact Y | apply nth_inside, X]).
    destruct s; [exact B | apply inside_neg, B].
Qed.

Lemma variable_correct : forall n i b c x v, box_holds b x -> box_holds b v -> box_holds c v -> length b = n ->
  pair n (variable p n i b c) x v (nth i x 0).
Proof. intros n i b c x v X V C N. exact (slope_correct p n false (Var i) b c x v X V C N I). Qed.

Lemma loan_dual_correct : forall s k f b c x v n, box_holds b x -> box_holds b v -> box_holds c v -> length b = n ->
  whole f -> spans f (nth k x 0) ->
  pair n (loan_dual n (loan_of (s, (k, f))) b c) x v (if s then at_ f (nth k x 0) else - at_ f (nth k x 0)).
Proof.
  intros s k f b c x v n X V C N W Y.
  assert (P : pair n (if (Nat.ltb k n && (at_least (nth k b I.nai) (exactly p (fst (first f)))
      && at_most (nth k b I.nai) (exactly p (fst (last f)))))%bool
    then chain p (range_kept (keep f)) (steep_kept (keep f) (nth k b I.nai)) (variable p n k b c)
    else frozen n (range_kept (keep f) (nth k b I.nai))) x v (at_ f (nth k x 0))).
  { destruct (_ && _)%bool eqn:E.
    - apply andb_prop in E. destruct E as [K E]. apply andb_prop in E. destruct E as [L U].
      assert (O : over (variable p n k b c) = nth k b I.nai) by (unfold variable; rewrite K; reflexivity).
      assert (G : forall u, inside (over (variable p n k b c)) u -> spans f u).
      { intros u A. rewrite O in A. split; [exact (left_side _ _ _ L A) | exact (right_side _ _ _ U A)]. }
      apply (chain_correct p n _ (at_ f)).
      + intros i u A B. apply range_kept_correct; auto.
      + intros u w A B. pose proof (G u A). pose proof (G w B). rewrite O in *. apply steep_kept_correct; auto.
      + apply variable_correct; assumption.
    - apply frozen_correct, range_kept_correct; [exact W | exact Y | apply nth_inside, X]. }
  unfold loan_dual. cbn [plus axis from_ upto rows loan_of fst snd]. destruct s; [exact P | apply dual_neg_correct, P].
Qed.

Lemma lent_dual_correct : forall ts b c x v n d a, box_holds b x -> box_holds b v -> box_holds c v -> length b = n ->
  fits ts x -> pair n d x v a -> pair n (lent_dual n (map loan_of ts) b c d) x v (a + lent_value ts x).
Proof.
  intros ts b c x v n d a X V C N. revert d a. induction ts as [| [s [k f]] ts R]; intros d a T P.
  - cbn. rewrite Rplus_0_r. exact P.
  - inversion T as [| ? ? [W Y] Z]; subst. cbn [map lent_dual].
    change (lent_value ((s, (k, f)) :: ts) x)
      with ((if s then at_ f (nth k x 0) else - at_ f (nth k x 0)) + lent_value ts x).
    rewrite <- Rplus_assoc. apply R; [exact Z |]. apply dual_add_correct; [exact P |].
    apply loan_dual_correct; auto.
Qed.

End Precision.

End Tables.
